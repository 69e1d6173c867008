/// \file
/// Merge sort: a thread sorts each part, then the parts are merged in pairs, each pair by a thread of its own. Creating
/// and joining threads passes the work on.
#include <algorithm>

#include "kernel.hpp"

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 6000000);
  std::vector<uint64_t> values(size), merged(size);
  kernel::Random random(8);
  for (uint64_t& each : values) each = random.next() >> 32;

  std::vector<size_t> bounds;
  for (size_t id = 0; id < threads; id++) bounds.push_back(kernel::part(size, id, threads).begin);
  bounds.push_back(size);
  kernel::parallel(threads, [&](size_t id) { std::sort(values.data() + bounds[id], values.data() + bounds[id + 1]); });
  while (bounds.size() > 2) {
    const size_t parts = bounds.size() - 1;
    kernel::parallel((parts + 1) / 2, [&](size_t pair) {
      const size_t begin = bounds[2 * pair];
      const size_t middle = bounds[2 * pair + 1];
      const size_t end = bounds[std::min(2 * pair + 2, parts)];
      const uint64_t* const from = values.data();
      std::merge(from + begin, from + middle, from + middle, from + end, merged.data() + begin);
    });
    values.swap(merged);
    std::vector<size_t> fewer;
    for (size_t i = 0; i < parts; i += 2) fewer.push_back(bounds[i]);
    fewer.push_back(size);
    bounds = fewer;
  }
  uint64_t sum = std::is_sorted(values.begin(), values.end()) ? 1 : 0;
  for (const uint64_t each : values) sum = kernel::mix(sum, each);
  return kernel::finish("sort", sum);
}
