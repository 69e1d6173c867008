// Each thread has one half of every array: checks of a whole loop end where its half ends.
// BUILD: -O2
// EXPECT: none
#include <thread>

#include "invisible.h"

namespace {
constexpr long kHalf = 501;  // an odd one: neighbours share a word
}  // namespace
unsigned char bytes[2 * kHalf];
int ints[2 * kHalf];
long grid[2 * kHalf][3];

static void fill(long begin, long end) {
  for (long i = begin; i < end; ++i) bytes[i] = static_cast<unsigned char>(3 * i);
  for (long i = end; i-- > begin;) ints[i] += static_cast<int>(i);
  for (long i = begin; i < end; ++i) {
    for (long j = 0; j < 3; ++j) grid[i][j] = i ^ j;
  }
}

int main() {
  std::thread first([] {
    fill(0, kHalf);
    reach(1);
  });
  std::thread second([] {
    await(1);
    fill(kHalf, 2 * kHalf);
  });
  first.join();
  second.join();
}
