#include "capture/driver/sanitizers.hpp"

#include <array>
#include <string_view>

namespace omen::driver {
namespace {

constexpr std::string_view kOn = "-fsanitize=";
constexpr std::string_view kOff = "-fno-sanitize=";

/// Sanitizers with their own shadow memory or allocator.
constexpr std::array<std::string_view, 11> kIncompatible = {
    "address", "hwaddress", "kernel-address",  "kernel-hwaddress", "memory", "kernel-memory",
    "leak",    "dataflow",  "pointer-compare", "pointer-subtract", "type"};

}  // namespace

bool Sanitizers::is_option(const std::string& argument) {
  return argument.starts_with(kOn) || argument.starts_with(kOff);
}

std::string Sanitizers::take(const std::string& option) {
  const bool on = option.starts_with(kOn);
  const std::string_view prefix = on ? kOn : kOff;
  std::string rest;
  for (size_t at = prefix.size(); at <= option.size();) {
    const size_t end = std::min(option.find(',', at), option.size());
    const std::string name = option.substr(at, end - at);
    at = end + 1;
    if (name == "thread") {
      thread_ = on;
      continue;
    }
    if (on) {
      asked_.insert(name);
    } else if (name == "all") {
      thread_ = false;
      asked_.clear();
    } else {
      asked_.erase(name);
    }
    rest += (rest.empty() ? "" : ",") + name;
  }
  return rest.empty() ? rest : std::string(prefix) + rest;
}

std::string Sanitizers::incompatible() const {
  for (const std::string_view name : kIncompatible) {
    if (asked_.contains(std::string(name))) return std::string(name);
  }
  return {};
}

}  // namespace omen::driver
