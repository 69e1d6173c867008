// The routine of a once-flag throws in one thread and is run again by another: the runs are ordered.
// PEER: skip it hangs when the routine of pthread_once throws
// EXPECT: none
// OUTPUT: 2
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include "invisible.h"

static std::once_flag flag;
static int attempts;

static void prepare() {
  if (++attempts == 1) throw std::runtime_error("once more");
}

int main() {
  std::thread first([] {
    try {
      std::call_once(flag, prepare);
    } catch (const std::runtime_error&) {
    }
    reach(1);
  });
  std::thread second([] {
    await(1);
    std::call_once(flag, prepare);
  });
  first.join();
  second.join();
  std::printf("%d\n", attempts);
}
