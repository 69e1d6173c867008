// An array is drained under a lock, and every element of it is read: the values decide whether x is accessed.
// EXPECT: none
// CONFIRM: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static int values[64];
static char full[64];
int x;

__attribute__((noinline)) static int drain(int* of, const char* which, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) {
    if (which[i]) sum += of[i];
    of[i] = 0;
  }
  return sum;
}

int main() {
  for (int i = 0; i < 64; ++i) full[i] = 1;
  std::thread fills([] {
    x = 1;
    std::lock_guard<std::mutex> guard(m);
    values[5] = 1;
    reach(1);
  });
  std::thread drains([] {
    await(1);
    int found = 0;
    {
      std::lock_guard<std::mutex> guard(m);
      found = drain(values, full, 64);
    }
    if (found != 0) x = 2;
  });
  fills.join();
  drains.join();
}
