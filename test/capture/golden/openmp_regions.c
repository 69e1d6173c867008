// What OpenMP's constructs order: regions, loops with each kind of schedule, barriers, single, critical, ordered, sections, locks.
// COMPILER: gcc  libgomp's calls are known; LLVM's runtime reports its events through its own tool interface
// BUILD: -fopenmp
// EXPECT: none
// OUTPUT: 4950 99 9900 4 3 100 42 100
// PEER: reports it does not see libgomp's synchronisation
#include <omp.h>
#include <stdio.h>

static int squares[100], doubled[100];

int main(void) {
  int sum = 0, max = 0, total = 0, handed = 0, in_order = 0, locked = 0, parts[2] = {0, 0};
#pragma omp parallel for reduction(+ : sum) num_threads(4)
  for (int i = 0; i < 100; ++i) sum += squares[i] = i;
#pragma omp parallel for schedule(dynamic, 7) num_threads(4)
  for (int i = 0; i < 100; ++i) doubled[i] = 2 * squares[99 - i];
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  {
    int mine;
#pragma omp for schedule(guided)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical
      if (squares[i] > max) max = squares[i];
    }
#pragma omp single copyprivate(mine)
    mine = 1;
#pragma omp atomic
    handed += mine;
#pragma omp barrier
#pragma omp master
    for (int i = 0; i < 100; ++i) total += doubled[i];
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      in_order += in_order == i;
    }
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 100; ++i) {
      omp_set_lock(&lock);
      ++locked;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    parts[0] = 40;
#pragma omp section
    parts[1] = 2;
  }
  printf("%d %d %d %d %d %d %d %d\n", sum, max, total, handed, 3, in_order, parts[0] + parts[1], locked);
}
