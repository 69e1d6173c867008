// Pages are mapped by one thread, filled, handed over through a pipe and unmapped by another; addresses come again.
// EXPECT: none
// OUTPUT: 100
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int ends[2];

static void* consumer(void* unused) {
  long sum = 0;
  char* page;
  while (read(ends[0], &page, sizeof page) == sizeof page) {
    sum += page[0];
    munmap(page, 4096);
  }
  printf("%ld\n", sum);
  return unused;
}
int main(void) {
  if (pipe(ends) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, consumer, NULL);
  for (int i = 0; i < 100; ++i) {
    char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    if (write(ends[1], &page, sizeof page) != sizeof page) return 1;
  }
  close(ends[1]);
  pthread_join(thread, NULL);
}
