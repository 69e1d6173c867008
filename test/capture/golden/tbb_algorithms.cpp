// The C++ library's parallel algorithms, which oneTBB executes.
// BUILD: -ltbb
// EXPECT: none
// OUTPUT: 100010000 100020000 1 20001
// PEER: reports the hand-over of tasks is in a library without instrumentation
#include <algorithm>
#include <cstdio>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

int main() {
  std::vector<long> values(10001);
  std::iota(values.begin(), values.end(), 0);
  std::for_each(std::execution::par, values.begin(), values.end(), [](long& value) { value = value * 2; });
  long sum = 0;
  for (const long value : values) sum += value;
  std::vector<long> more(values.size());
  std::transform(std::execution::par, values.begin(), values.end(), more.begin(), [](long value) { return value + 1; });
  std::sort(std::execution::par, more.begin(), more.end(), std::greater<>());
  const long again = std::reduce(std::execution::par, more.begin(), more.end()) - 1;
  std::printf("%ld %ld %ld %ld\n", sum, again, more.back(), more.front());
}
