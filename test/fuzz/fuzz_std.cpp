/// \file
/// libFuzzer over the STD reader.
#include <cstddef>
#include <cstdint>
#include <string>

#include "test/fuzz/round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  omen::fuzz::round_trip(omen::Format::Std, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
