/// \file
/// The seeds of the fuzz targets, without the fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "test/fuzz/round_trip.hpp"

namespace omen {
namespace {

void check(Format format, const std::string& folder) {
  std::size_t traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(OMEN_TEST_DATA "/fuzz/corpus/") + folder)) {
    std::ostringstream content;
    content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    if (fuzz::round_trip(format, content.str())) ++traces;  // ends the process if a requirement is violated
  }
  EXPECT_GT(traces, 4U);
}

TEST(Corpus, Std) {
  check(Format::Std, "std");
}
TEST(Corpus, Omen) {
  check(Format::Omen, "omen");
}

}  // namespace
}  // namespace omen
