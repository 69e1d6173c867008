/// \file
/// Every thread has a mutex and data of its own, and takes it again and again. Nothing is shared: what does not scale
/// here is the detector's.
#include <mutex>

#include "../kernels/kernel.hpp"

namespace {

struct alignas(64) Guarded {
  std::mutex mutex;
  uint64_t values[6] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 200000);
  std::vector<Guarded> all(threads);
  kernel::parallel(threads, [&all, size = size, threads = threads](size_t id) {
    Guarded& own = all[id];
    const auto [begin, end] = kernel::part(size, id, threads);
    for (size_t i = begin; i < end; i++) {
      const std::lock_guard guard(own.mutex);
      for (uint64_t& value : own.values) value += i & 1;
    }
  });
  uint64_t sum = 0;
  for (const Guarded& each : all) sum += each.values[0];
  return kernel::finish("own_locks", sum);
}
