// Stores that a compiler makes vectors of, of more bytes than an instrumented access has: code side by side, a loop,
// and a loop over members of structures.
// BUILD: -O3 -mavx2
// EXPECT: race A A
// EXPECT: race B B
// EXPECT: race C C
// PEER: clang misses accesses of 32 bytes are not instrumented
#include <pthread.h>

#include "invisible.h"

_Alignas(64) double quad[4];
_Alignas(64) int row[64];
struct Pair {
  int first, second;
} pairs[64];

__attribute__((noinline)) static void fill_quad(double value) {
  for (int i = 0; i < 4; ++i) quad[i] = value;  // A
}
__attribute__((noinline)) static void fill_row(int value) {
  for (int i = 0; i < 64; ++i) row[i] = value + i;  // B
}
__attribute__((noinline)) static void fill_pairs(int value) {
  for (int i = 0; i < 64; ++i) {
    pairs[i].first = value, pairs[i].second = value + i;  // C
  }
}
static void fill(int value) {
  fill_quad(value);
  fill_row(value);
  fill_pairs(value);
}

static void* work(void* unused) {
  fill(1);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  await(1);
  fill(2);
  pthread_join(thread, 0);
  return 0;
}
