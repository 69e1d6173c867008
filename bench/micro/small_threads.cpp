/// \file
/// Short-lived threads: each adds to a number under a lock and ends.
#include "sections.hpp"

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 3000);
  micro::Guarded shared;
  for (size_t i = 0; i < size; i++) {
    kernel::parallel(threads, [&](size_t id) {
      const std::lock_guard guard(shared.lock);
      shared.value += id + 1;
    });
  }
  return kernel::finish("small_threads", shared.value);
}
