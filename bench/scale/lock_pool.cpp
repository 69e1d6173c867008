/// \file
/// All threads take mutexes of one pool, at random, and change what they guard. A pool of 64 is large enough that two
/// threads seldom want the same one.
#include <mutex>

#include "../kernels/kernel.hpp"

namespace {

constexpr size_t kPool = 64;

struct alignas(64) Guarded {
  std::mutex mutex;
  uint64_t values[6] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 200000);
  std::vector<Guarded> pool(kPool);
  std::vector<uint64_t> table(4096);
  for (size_t i = 0; i < table.size(); i++) table[i] = i & 1;
  kernel::parallel(threads, [&pool, &table, size = size, threads = threads](size_t id) {
    const auto [begin, end] = kernel::part(size, id, threads);
    for (size_t i = begin; i < end; i++) {
      // What is done depends on i alone, so the sum does not depend on the number of threads.
      const uint64_t chosen = kernel::mix(0x517cc1b727220a95, i);
      Guarded& guarded = pool[chosen >> 32 & (kPool - 1)];
      const std::lock_guard guard(guarded.mutex);
      for (size_t k = 0; k < 6; k++) guarded.values[k] += table[(chosen + k) & 4095];
    }
  });
  uint64_t sum = 0;
  for (const Guarded& each : pool) sum += each.values[0];
  return kernel::finish("lock_pool", sum);
}
