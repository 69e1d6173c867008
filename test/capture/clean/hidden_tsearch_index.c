// A tree of the C library (tsearch) under a reader/writer lock publishes objects by being found.
// EXPECT: none
// OUTPUT: 45
#include <pthread.h>
#include <search.h>
#include <stdio.h>

struct Object {
  int key, value;
};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void* root;
static struct Object objects[10];

static int compare(const void* a, const void* b) { return ((const struct Object*)a)->key - ((const struct Object*)b)->key; }
static void* producer(void* unused) {
  for (int i = 0; i < 10; ++i) {
    objects[i].key = i;
    objects[i].value = i;
    pthread_rwlock_wrlock(&lock);
    tsearch(&objects[i], &root, compare);
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  int sum = 0;
  for (int i = 0; i < 10;) {
    const struct Object wanted = {i, 0};
    pthread_rwlock_rdlock(&lock);
    void* found = tfind(&wanted, &root, compare);
    struct Object* object = found ? *(struct Object**)found : NULL;
    pthread_rwlock_unlock(&lock);
    if (object == NULL) continue;
    sum += object->value;
    ++i;
  }
  pthread_join(thread, NULL);
  printf("%d\n", sum);
}
