// A thread polls under a lock until another one is done: rounds that repeat one another are recorded once, and
// races in a round, or after it, are found.
// EXPECT: race A B
// EXPECT: race C D
#include <pthread.h>
#include <unistd.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready;
long apart[16];
int seen;
long apart2[16];
int last;

static void* worker(void* p) {
  usleep(100000);
  seen = 1;  // A
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  last = 1;  // C
  return p;
}

int main(void) {
  pthread_t id;
  pthread_create(&id, 0, worker, 0);
  for (int done = 0, value = 0; !done && value < 2;) {
    value = seen;  // B
    pthread_mutex_lock(&m);
    done = ready;
    pthread_mutex_unlock(&m);
  }
  usleep(100000);
  last = 2;  // D
  pthread_join(id, 0);
  return 0;
}
