#include "report/system_objects.hpp"

#include <fmt/format.h>

namespace omen::report {
namespace {

// The addresses that capture/runtime/interceptors/descriptors.cpp assigns; the test of pipes in
// test/cli/kept_trace_test.py fails if they differ.
constexpr std::uint64_t kBegin = std::uint64_t{1} << 47;
constexpr std::uint64_t kFirstFile = kBegin + std::uint64_t{8} * 16;
constexpr std::uint64_t kEndOfFiles = kFirstFile + (std::uint64_t{8} << 40);
constexpr std::uint64_t kDescriptors = kBegin + (std::uint64_t{1} << 46);
constexpr std::uint64_t kMostDescriptors = std::uint64_t{1} << 20;

}  // namespace

std::optional<std::string> system_object(std::uint64_t address) {
  if (address == kBegin) return "sockets";
  if (address == kBegin + 8) return "names of files";
  if (address == kBegin + 16) return "polled descriptors";
  if (address >= kFirstFile && address < kEndOfFiles) return "pipe or file";
  if (address >= kDescriptors && address < kDescriptors + 8 * kMostDescriptors) {
    return fmt::format("descriptor {}", (address - kDescriptors) / 8);
  }
  return std::nullopt;
}

}  // namespace omen::report
