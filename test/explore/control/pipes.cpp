/// \file
/// Data goes through a pipe, and a poll runs out of time.
#include <poll.h>
#include <unistd.h>

#include "threads.hpp"

int ends[2];

void reader() {
  char byte = 0;
  for (char expected = 0; expected < 3; ++expected) {
    assert(read(ends[0], &byte, 1) == 1);
    assert(byte == expected);
  }
  pollfd one = {ends[0], POLLIN, 0};
  assert(poll(&one, 1, 50) == 0);
}
void writer() {
  for (char byte = 0; byte < 3; ++byte) {
    usleep(10);
    assert(write(ends[1], &byte, 1) == 1);
  }
}

int main() {
  assert(pipe(ends) == 0);
  run_all({reader, writer});
}
