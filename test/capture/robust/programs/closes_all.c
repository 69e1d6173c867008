// Closes every descriptor that it does not know, then continues and uses the numbers itself.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "work.h"

int main(void) {
  work(2, 100);
  closefrom(3);
  for (int i = 3; i < 1024; ++i) close(i);
  int first = open("/dev/null", O_RDWR), second = dup(first);
  long sum = work(2, 50000);
  for (int i = first; i <= second; ++i) close(i);
  printf("%d %d %ld\n", first, second, sum);
}
