/// \file
/// Two tests, one with a race.
#define CATCH_CONFIG_MAIN
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

template <class Number>
void write_twice(Number& number) {
  std::thread a([&] { number = 1; });
  std::thread b([&] { number = 2; });
  a.join();
  b.join();
}

TEST_CASE("racy") {
  int number = 0;
  write_twice(number);
  CHECK(number != 0);
}

TEST_CASE("clean") {
  std::atomic<int> number = 0;
  write_twice(number);
  CHECK(number != 0);
}
