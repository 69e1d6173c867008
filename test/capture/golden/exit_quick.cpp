// quick_exit while another thread works on: only its own handlers.
// EXPECT: none
// EXIT: 6
// OUTPUT: quick
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static long counter;

int main() {
  std::atexit([] { std::puts("bye"); });
  std::at_quick_exit([] {
    std::puts("quick");
    std::fflush(stdout);
  });
  std::thread([] {
    for (;;) {
      std::lock_guard lock(m);
      if (++counter == 100) reach(1);
    }
  }).detach();
  await(1);
  std::quick_exit(6);
}
