// exit while another thread works on; destructors and atexit handlers run.
// EXPECT: none
// EXIT: 3
// OUTPUT: bye
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static long counter;

int main() {
  std::atexit([] { std::puts("bye"); });
  std::thread([] {
    for (;;) {
      std::lock_guard lock(m);
      if (++counter == 100) reach(1);
    }
  }).detach();
  await(1);
  std::exit(3);
}
