/// \file
/// Two tests, one with a race. The runtime calls `__tsan_on_report` in the thread that finds one, so GoogleTest blames
/// the test that runs.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

extern "C" void __tsan_on_report(void*) {
  ADD_FAILURE() << "omen reports a race";
}

template <class Number>
void write_twice(Number& number) {
  std::thread a([&] { number = 1; });
  std::thread b([&] { number = 2; });
  a.join();
  b.join();
}

TEST(Counter, Racy) {
  int number = 0;
  write_twice(number);
}

TEST(Counter, Clean) {
  std::atomic<int> number = 0;
  write_twice(number);
}
