/// \file
/// Runs `omen-proved-checker --batch` for the tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace omen {

/// The program's output for a batch, line by line.
inline std::vector<std::string> proved_answers(const std::string& batch) {
  const std::string path = testing::TempDir() + "omen-proved-checker-" + std::to_string(getpid());
  std::ofstream(path) << batch;
  std::vector<std::string> lines;
  FILE* const program = popen((OMEN_PROVED_CHECKER " --batch " + path).c_str(), "r");
  if (program == nullptr) return lines;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), program) != nullptr) {
    lines.emplace_back(line.data());
    lines.back().pop_back();
  }
  EXPECT_EQ(pclose(program), 0);
  std::filesystem::remove(path);
  return lines;
}

}  // namespace omen
