// Two threads race in 72 × 72 pairs of locations, more than the online detector distinguishes.
#include <pthread.h>
#include <stdio.h>

#define PLACES 72
int cells[PLACES][PLACES];

#define EIGHT(M, at) M(at) M(at + 1) M(at + 2) M(at + 3) M(at + 4) M(at + 5) M(at + 6) M(at + 7)
#define ALL(M) \
  EIGHT(M, 0) EIGHT(M, 8) EIGHT(M, 16) EIGHT(M, 24) EIGHT(M, 32) EIGHT(M, 40) EIGHT(M, 48) EIGHT(M, 56) EIGHT(M, 64)
#define ROW(at) for (int i = 0; i < PLACES; ++i) cells[at][i] = 1;
#define COLUMN(at) for (int i = 0; i < PLACES; ++i) cells[i][at] = 2;

static void* rows(void* unused) {
  ALL(ROW)
  return unused;
}
static void* columns(void* unused) {
  ALL(COLUMN)
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, rows, 0);
  pthread_create(&b, 0, columns, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("done\n");
  return 0;
}
