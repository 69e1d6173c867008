// realloc that moves ends the old life and keeps the content; calloc and the aligned family begin lives.
// BUILD: -D_GNU_SOURCE
// EXPECT: none
// OUTPUT: 42 0
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

static void* churn(void* out) {
  long sum = 0;
  for (int i = 0; i < 50; ++i) {
    long* p = malloc(2000);
    p[3] = 42;
    p = realloc(p, 9000);
    if (i == 49) *(long*)out = p[3];
    long* q = calloc(100, sizeof *q);
    sum += q[99];
    q[99] = 7;
    void* r = 0;
    if (posix_memalign(&r, 64, 3000) != 0) return 0;
    *(int*)r = 1;
    int* s = aligned_alloc(128, 1280);
    *s = 2;
    int* t = memalign(32, 2000);
    *t = 3;
    int* v = valloc(5000);
    *v = 4;
    int* w = reallocarray(0, 10, 300);
    *w = 5;
    if (malloc_usable_size(w) < 3000) return 0;
    free(p);
    free(q);
    free(r);
    free(s);
    free(t);
    free(v);
    free(w);
  }
  return (void*)sum;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  long first = 0, second = 0;
  pthread_t a, b;
  void *r1 = 0, *r2 = 0;
  pthread_create(&a, 0, churn, &first);
  pthread_create(&b, 0, churn, &second);
  pthread_join(a, &r1);
  pthread_join(b, &r2);
  printf("%ld %ld\n", first, (long)r1 + (long)r2 + first - second);
}
