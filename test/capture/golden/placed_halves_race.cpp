// The halves have one element in common: the last of one loop is the first of the other.
// BUILD: -O2
// EXPECT: race A B
#include <thread>

#include "invisible.h"

int ints[1000];

static void first_half(long end) {
  for (long i = 0; i <= end; ++i) ints[i] = static_cast<int>(i);  // A
}

static long second_half(long begin) {
  long sum = 0;
  for (long i = begin; i < 1000; ++i) sum += ints[i];  // B
  return sum;
}

int main() {
  std::thread first([] {
    first_half(500);
    reach(1);
  });
  std::thread second([] {
    await(1);
    use(second_half(500));
  });
  first.join();
  second.join();
}
