// std::call_once, also with a first call that throws.
// PEER: skip it hangs when the routine of pthread_once throws
// EXPECT: none
// OUTPUT: 5
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
#include "invisible.h"

static std::once_flag flag;
static int value, attempts;

static void prepare() {
  if (++attempts == 1) throw std::runtime_error("once more");
  value = 5;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      for (;;) {
        try {
          std::call_once(flag, prepare);
          break;
        } catch (const std::runtime_error&) {
        }
      }
      use(value);
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d\n", value);
}
