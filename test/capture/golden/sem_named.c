// A named semaphore.
// EXPECT: none
// OUTPUT: 7
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t* s;
static int value;

static void* other(void* unused) {
  value = 7;
  sem_post(s);
  return unused;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/omen-golden-%d", (int)getpid());
  s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (s == SEM_FAILED) return 1;
  sem_unlink(name);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  sem_wait(s);
  printf("%d\n", value);
  pthread_join(t, 0);
  sem_close(s);
}
