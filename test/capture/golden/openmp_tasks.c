// What OpenMP's tasks order: a creator before its tasks, tasks before taskwait, the end of a group, a dependent task, a barrier.
// COMPILER: gcc  libgomp's calls are known; LLVM's runtime reports its events through its own tool interface
// BUILD: -fopenmp
// EXPECT: none
// OUTPUT: 144 7 30 4950 6 4950 8
// PEER: reports it does not see libgomp's synchronisation
#include <omp.h>
#include <stdio.h>

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 8)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  omp_event_handle_t event;
  int reduced = 0, detached = 0;
  int number = 0, chain = 0, grouped = 0, last = 0;
  int parts[3] = {0, 0, 0}, values[100];
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    number = fibonacci(12);
#pragma omp task depend(out : chain)
    chain = 3;
#pragma omp task depend(inout : chain)
    chain += 4;
#pragma omp taskgroup
    {
      for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)
        {
#pragma omp task
          parts[i] = 10;
        }
      }
    }
    grouped = parts[0] + parts[1] + parts[2];
#pragma omp taskloop grainsize(9)
    for (int i = 0; i < 100; ++i) values[i] = i;
    for (int i = 0; i < 100; ++i) last += values[i];
#pragma omp taskloop reduction(+ : reduced)
    for (int i = 0; i < 100; ++i) reduced += values[i];
#pragma omp task detach(event)
    detached = 5;
#pragma omp task firstprivate(event) shared(detached)
    {
#pragma omp critical
      ++parts[1];
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    detached += 3;
#pragma omp task
    parts[0] = 6;  // the region's end waits for it
  }
  printf("%d %d %d %d %d %d %d\n", number, chain, grouped, last, parts[0], reduced, detached);
}
