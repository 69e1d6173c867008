// A task and its creator's accesses before it waits for the task.
// COMPILER: gcc  libgomp's calls are known; LLVM's runtime reports its events through its own tool interface
// BUILD: -fopenmp
// EXPECT: race A B
// PEER: skip it does not see libgomp's synchronisation
#include <omp.h>
#include "invisible.h"

int shared_value;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
#pragma omp task
      {
        shared_value = 1;  // A
        reach(1);
      }
      await(1);
      shared_value = 2;  // B
#pragma omp taskwait
      shared_value = 3;
    }
  }
}
