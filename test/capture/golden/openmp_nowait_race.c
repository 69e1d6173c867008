// The second loop begins before the other thread has ended its part of the first.
// COMPILER: gcc  libgomp's calls are known; LLVM's runtime reports its events through its own tool interface
// BUILD: -fopenmp
// EXPECT: race A B
// PEER: skip it does not see libgomp's synchronisation
#include <omp.h>
#include "invisible.h"

static int first[2], second;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 2; ++i) {
      first[i] = i + 1;  // A
      if (i == 1) reach(1);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < 2; ++i) {
      if (i == 0) {
        await(1);
        second = first[1];  // B
      }
    }
#pragma omp single
    second += first[0] + first[1];
  }
}
