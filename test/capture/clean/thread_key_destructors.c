// Destructors of thread-specific data append to a guarded list when threads end; main reads it after the joins.
// EXPECT: none
// OUTPUT: 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct Node {
  int value;
  struct Node* next;
};
static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Node* list;

static void append(void* data) {
  struct Node* node = data;
  pthread_mutex_lock(&mutex);
  node->next = list;
  list = node;
  pthread_mutex_unlock(&mutex);
}
static void* work(void* argument) {
  struct Node* node = malloc(sizeof *node);
  node->value = *(int*)argument;
  pthread_setspecific(key, node);
  return NULL;
}
int main(void) {
  pthread_key_create(&key, append);
  int values[3] = {1, 2, 3};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, &values[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  int sum = 0;
  while (list != NULL) {
    struct Node* node = list;
    list = node->next;
    sum += node->value;
    free(node);
  }
  printf("%d\n", sum);
}
