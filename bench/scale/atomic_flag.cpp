/// \file
/// All threads load one atomic with acquire and read a table; one time in sixteen they store to it with release. What a
/// program does that looks at a flag, a version or a configuration before each step.
#include <atomic>

#include "../kernels/kernel.hpp"

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 1000000);
  std::atomic<uint64_t> version{1};
  std::vector<uint64_t> table(4096);
  for (size_t i = 0; i < table.size(); i++) table[i] = i & 1;
  std::vector<uint64_t> sums(threads * 8);
  kernel::parallel(threads, [&, size = size, threads = threads](size_t id) {
    const auto [begin, end] = kernel::part(size, id, threads);
    uint64_t sum = 0;
    for (size_t i = begin; i < end; i++) {
      const uint64_t chosen = kernel::mix(0x517cc1b727220a95, i);
      const uint64_t now = version.load(std::memory_order_acquire);
      if (chosen >> 60 == 0) version.store(now + 1, std::memory_order_release);
      for (size_t k = 0; k < 8; k++) sum += table[(chosen + k) & 4095];
    }
    sums[id * 8] = sum;
  });
  uint64_t sum = 0;
  for (size_t id = 0; id < threads; id++) sum += sums[id * 8];
  return kernel::finish("atomic_flag", sum);
}
