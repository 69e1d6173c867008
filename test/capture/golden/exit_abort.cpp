// abort while another thread holds a lock; the race before it is still reported.
// EXPECT: race A B
// EXIT: signal 6
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int x;

int main() {
  std::thread([] {
    x = 1;  // A
    std::lock_guard lock(m);
    reach(1);
    for (;;) pause();
  }).detach();
  await(1);
  x = 2;  // B
  std::abort();
}
