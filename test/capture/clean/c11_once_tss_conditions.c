// C11 threads: call_once, thread-specific storage with a destructor under a mutex, condition variables.
// EXPECT: none
// OUTPUT: 3 destroyed, 33
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static mtx_t mutex;
static cnd_t changed;
static int destroyed, arrived, shared;

static void destroy(void* memory) {
  mtx_lock(&mutex);
  ++destroyed;
  shared += *(int*)memory;
  mtx_unlock(&mutex);
  free(memory);
}
static void prepare(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  tss_create(&key, destroy);
}
static int work(void* unused) {
  (void)unused;
  call_once(&once, prepare);
  int* mine = malloc(sizeof *mine);
  *mine = 11;
  tss_set(key, mine);
  mtx_lock(&mutex);
  ++arrived;
  cnd_broadcast(&changed);
  while (arrived < 3) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  return 0;
}
int main(void) {
  thrd_t threads[3];
  for (int i = 0; i < 3; ++i) thrd_create(&threads[i], work, NULL);
  for (int i = 0; i < 3; ++i) thrd_join(threads[i], NULL);
  printf("%d destroyed, %d\n", destroyed, shared);
}
