// A sum over an array by threads that fork threads; each node writes its result in its parent's frame.
// EXPECT: none
// OUTPUT: 499500
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

static long sum(const int* begin, const int* end) {
  if (end - begin < 200) return std::accumulate(begin, end, 0L);
  const int* const middle = begin + (end - begin) / 2;
  long left = 0;
  std::thread half([&left, begin, middle] { left = sum(begin, middle); });
  const long right = sum(middle, end);
  half.join();
  return left + right;
}
int main() {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  std::printf("%ld\n", sum(values.data(), values.data() + values.size()));
}
