// Very large blocks: 64 GiB of address space, an impossible block, 512 MiB of zeros, 64 MiB filled.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "work.h"

int main(void) {
  size_t huge = (size_t)64 << 30;
  char* p = mmap(0, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return 1;
  for (size_t i = 0; i < huge; i += huge / 100) p[i] = 1;
  munmap(p, huge);
  volatile size_t too_much = SIZE_MAX / 2;
  errno = 0;
  char* none = malloc(too_much);
  int error = errno;
  char* zeros = calloc(512, 1 << 20);
  char* full = malloc(64 << 20);
  if (!zeros || !full) return 1;
  memset(full, 1, 64 << 20);
  int sum = zeros[77777777] + full[(64 << 20) - 1];
  full = realloc(full, 65 << 20);
  free(zeros);
  free(full);
  printf("%d %d %d %ld\n", none == 0, error == ENOMEM, sum, work(2, 100));
}
