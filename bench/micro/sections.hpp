/// \file
/// The frame of the micro-programs: several threads, each of which executes many critical sections. Each thread has a
/// lock of its own, so that the measurement contains the cost of a section but no contention.
#pragma once

#include <mutex>

#include "../kernels/kernel.hpp"

namespace micro {

struct alignas(128) Guarded {
  std::mutex lock;
  uint64_t value = 0;
};

/// Runs body(value) `size` times in each thread, in a critical section on the thread's lock, and returns a checksum.
template <typename Body>
uint64_t sections(size_t size, size_t threads, Body body) {
  std::vector<Guarded> all(threads);
  kernel::parallel(threads, [&](size_t id) {
    Guarded& own = all[id];
    for (size_t i = 0; i < size; i++) {
      const std::lock_guard guard(own.lock);
      body(own.value);
    }
  });
  uint64_t sum = 0;
  for (const Guarded& each : all) sum = kernel::mix(sum, each.value);
  return sum;
}

}  // namespace micro
