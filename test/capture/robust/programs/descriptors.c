// The exit code is the number of the first free descriptor: a recorder's descriptors must not change it.
#include <fcntl.h>
#include <unistd.h>
#include "work.h"

int main(void) {
  int before = open("/dev/null", O_RDWR);
  work(2, 20000);
  int after = open("/dev/null", O_RDWR);
  return before * 16 + after;
}
