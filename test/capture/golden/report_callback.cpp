// The program's callback is called for each race when it is found, with the race's kind and its two accesses. Its own
// accesses are not watched. In a recorded run it is not called.
// EXPECT: race A B
// EXPECT: race C D
// ONLINE: prints data-race: write of 4 at x, write of 4 at x
// ONLINE: prints data-race: write of 8 at y, write of 8 at y
// OUTPUT: end
// PEER: skip a program under ThreadSanitizer has it too, and prints
#include <cstdio>
#include <mutex>
#include <thread>
#include "invisible.h"

extern "C" int __tsan_get_report_data(void* report, const char** kind, int* count, int* stacks, int* accesses,
                                      int* locations, int* mutexes, int* threads, int* unique, void** sleep,
                                      unsigned long size) __attribute__((weak));
extern "C" int __tsan_get_report_mop(void* report, unsigned long number, int* thread, void** address, int* size,
                                     int* write, int* atomic, void** stack, unsigned long places) __attribute__((weak));
extern "C" void* __tsan_get_current_report() __attribute__((weak));
int x;
long y;
static std::mutex printing;

extern "C" void __tsan_on_report(void* report) {
  const std::lock_guard<std::mutex> guard(printing);
  const char* kind = "?";
  int count, stacks, accesses = 0, locations, mutexes, threads, unique;
  if (report != __tsan_get_current_report()) std::puts("another report");
  __tsan_get_report_data(report, &kind, &count, &stacks, &accesses, &locations, &mutexes, &threads, &unique, nullptr,
                         0);
  std::printf("%s:", kind);
  for (int i = 0; i < accesses; ++i) {
    int thread, size = 0, write = 0, atomic;
    void *address = nullptr, *stack[2] = {};
    __tsan_get_report_mop(report, static_cast<unsigned long>(i), &thread, &address, &size, &write, &atomic, stack, 2);
    std::printf("%s %s of %d at %s", i == 0 ? "" : ",", write != 0 ? "write" : "read", size,
                address == &x   ? "x"
                : address == &y ? "y"
                                : "?");
    if (stack[0] == nullptr) std::printf(" (nowhere)");
  }
  std::puts("");
}

int main() {
  std::thread first([] {
    x = 1;  // A
    y = 1;  // C
    reach(1);
  });
  std::thread second([] {
    await(1);
    x = 2;  // B
    y = 2;  // D
  });
  first.join();
  second.join();
  std::puts("end");
}
