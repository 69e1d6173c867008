/// \file
/// Critical sections that only add to a number.
#include "sections.hpp"

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 1000000);
  return kernel::finish("empty_sections", micro::sections(size, threads, [](uint64_t& value) { value += 3; }));
}
