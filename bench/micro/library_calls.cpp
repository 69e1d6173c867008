/// \file
/// Critical sections that call a function of the C library with state of its own: each is opaque
/// (docs/hidden-state.md).
#include "sections.hpp"

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 500000);
  const uint64_t sum = micro::sections(size, threads, [](uint64_t& value) {
    const long number = lrand48();
    value += number < 0 ? 2 : 3;
  });
  return kernel::finish("library_calls", sum);
}
