/// \file
/// Critical sections that write numbers to a string stream: mostly uninstrumented code of the C++ library.
#include <sstream>

#include "sections.hpp"

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 60000);
  const uint64_t sum = micro::sections(size, threads, [](uint64_t& value) {
    std::ostringstream text;
    text << "value " << value << ' ' << 0.5 << '\n';
    value += text.str().size();
  });
  return kernel::finish("streams", sum);
}
