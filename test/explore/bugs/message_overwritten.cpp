/// \file
/// A producer that does not wait until its message was taken.
// finds: assertion
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> message{0};
std::atomic<int> received{0};

void producer() {
  message = 1;
  message = 2;
}
void consumer() {
  for (int i = 0; i < 2;) {
    const int got = message.exchange(0);
    if (got != 0) {
      received += got;
      ++i;
    } else {
      if (message == 0 && received == 2) break;
      sched_yield();
    }
  }
}

int main() {
  run_all({producer, consumer});
  assert(received == 3);
}
