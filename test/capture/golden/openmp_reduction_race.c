// A sum that each thread of a region adds to, without a reduction.
// COMPILER: gcc  libgomp's calls are known; LLVM's runtime reports its events through its own tool interface
// BUILD: -fopenmp
// EXPECT: race A A
#include <omp.h>
#include "invisible.h"

int sum;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) await(1);
    sum = 1;  // A
    if (omp_get_thread_num() == 0) reach(1);
  }
}
