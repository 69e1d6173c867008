#include "cli/accessed_memory.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace omen::cli {

bool is_benign(const Trace& trace, std::uint64_t event, const CaptureInfo& info) {
  if (info.benign.empty()) return false;
  const std::string& name = trace.names.of(trace.events[event].variable());
  std::uint64_t address = 0;
  if (name.starts_with("0x")) std::from_chars(name.data() + 2, name.data() + name.size(), address, 16);
  return std::ranges::any_of(info.benign,
                             [&](const AddressRange& range) { return range.begin <= address && address < range.end; });
}

bool is_atomic(const Trace& trace, std::uint64_t event) {
  const Event& e = trace.events[event];
  const std::string& name = trace.names.of(e.variable());
  const std::size_t at = name.find('@');
  if (at == std::string::npos) return false;
  std::uint32_t thread = 0;
  std::from_chars(name.data() + at + 1, name.data() + name.size(), thread);
  return thread == index(e.thread);
}

}  // namespace omen::cli
