// Two writes of one statement are checked together, before a read of the same memory that is between them.
// EXPECT: none
// CONFIRM: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static int values[2];
int x;

#define REPLACE(p, q) (p)[0] = 7, found = *(q), (p)[1] = 0
__attribute__((noinline)) static int replace(int* p, int* q) {
  int found = 0;
  REPLACE(p, q);
  return found;
}

int main() {
  std::thread sets([] {
    x = 1;
    std::lock_guard<std::mutex> guard(m);
    values[1] = 1;
    reach(1);
  });
  std::thread replaces([] {
    await(1);
    int found = 0;
    {
      std::lock_guard<std::mutex> guard(m);
      int* second = values + 1;
      __asm__("" : "+r"(second));
      found = replace(values, second);
    }
    if (found != 0) x = 2;
  });
  sets.join();
  replaces.join();
}
