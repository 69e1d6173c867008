// A spinlock, with lock and trylock.
// EXPECT: none
// OUTPUT: 400
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_spinlock_t s;
static long counter;

static void* add(void* try) {
  for (int i = 0; i < 200; ++i) {
    if (try) {
      while (pthread_spin_trylock(&s) != 0) sched_yield();
    } else {
      pthread_spin_lock(&s);
    }
    ++counter;
    pthread_spin_unlock(&s);
  }
  return 0;
}

int main(void) {
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, &b);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_spin_destroy(&s);
  printf("%ld\n", counter);
}
