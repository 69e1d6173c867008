// Two ways lead to the same place: one race.
// EXPECT: race A A
#include <thread>
#include "invisible.h"

int x;

__attribute__((noinline)) static void increment() {
  x++;  // A
}
__attribute__((noinline)) static void once() {
  increment();
  asm volatile("" ::: "memory");  // no tail call
}
__attribute__((noinline)) static void again() {
  increment();
  asm volatile("" ::: "memory");
}

int main() {
  std::thread first([] {
    once();
    again();
    reach(1);
  });
  std::thread second([] {
    await(1);
    once();
    again();
  });
  first.join();
  second.join();
}
