/// \file
/// A histogram that all threads update: one lock per group of bins, acquired for every value. Short critical sections,
/// little contention.
#include <array>
#include <mutex>

#include "kernel.hpp"

namespace {

constexpr size_t kLocks = 64;
constexpr size_t kBins = 4096;

struct Group {
  std::mutex lock;
  std::array<uint32_t, kBins / kLocks> bins{};
};

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 48000000);
  std::vector<uint16_t> values(1 << 20);
  kernel::Random random(3);
  for (uint16_t& each : values) each = static_cast<uint16_t>((random.below(kBins) + random.below(kBins)) / 2);
  std::array<Group, kLocks> groups;

  kernel::parallel(threads, [&, size = size, threads = threads](size_t id) {
    const auto [begin, end] = kernel::part(size, id, threads);
    for (size_t i = begin; i < end; i++) {
      const uint16_t value = values[i % values.size()];
      Group& group = groups[value % kLocks];
      const std::lock_guard guard(group.lock);
      group.bins[value / kLocks]++;
    }
  });
  uint64_t sum = 0;
  for (const Group& group : groups) {
    for (const uint32_t bin : group.bins) sum = kernel::mix(sum, bin);
  }
  return kernel::finish("histogram", sum);
}
