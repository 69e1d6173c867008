// A queue in code that no instrumentation sees, made known by the annotations of tsan_interface.h.
// EXPECT: none
// OUTPUT: 5
#include <cstdio>
#include <thread>
#include "invisible.h"

extern "C" __attribute__((weak)) void __tsan_acquire(void*);
extern "C" __attribute__((weak)) void __tsan_release(void*);

static int data;
static char channel;

int main() {
  std::thread t([] {
    data = 5;
    if (__tsan_release != nullptr) __tsan_release(&channel);
    reach(1);
  });
  await(1);
  if (__tsan_acquire != nullptr) __tsan_acquire(&channel);
  std::printf("%d\n", data);
  t.join();
}
