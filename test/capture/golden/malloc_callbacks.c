// qsort, bsearch and tsearch call back into instrumented code, from several threads at once.
// BUILD: -D_GNU_SOURCE
// EXPECT: none
// OUTPUT: 1 1
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}

static void* work(void* out) {
  int values[200];
  void* tree = 0;
  for (int i = 0; i < 200; ++i) values[i] = (i * 37) % 200;
  qsort(values, 200, sizeof *values, compare);
  for (int i = 0; i < 200; ++i) tsearch(&values[i], &tree, compare);
  int key = 150;
  int* found = bsearch(&key, values, 200, sizeof *values, compare);
  *(int*)out = found == &values[150] && tfind(&key, &tree, compare) != 0;
  while (tree) tdelete(*(int**)tree, &tree, compare);
  return out;
}

int main(void) {
  int first = 0, second = 0;
  pthread_t a, b;
  pthread_create(&a, 0, work, &first);
  pthread_create(&b, 0, work, &second);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d %d\n", first, second);
}
