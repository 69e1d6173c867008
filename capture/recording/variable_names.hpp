/// \file
/// The names of a trace's variables, by number: address and size of the piece of memory.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "capture/recording/memory_map.hpp"
#include "trace/check.hpp"
#include "trace/names.hpp"

namespace omen::recording {

/// A name takes 8 bytes here instead of a text, unless the piece is large or a view.
class VariableNames {
 public:
  std::uint32_t add(std::uint64_t address, std::uint64_t bytes) {
    const auto id = static_cast<std::uint32_t>(codes_.size());
    if (address >> 48 == 0 && bytes <= MemoryMap::kPage) [[likely]] {
      codes_.push_back(address | (bytes - 1) << 48);
    } else {
      add_other(fmt::format("{:#x}:{}", address, bytes));
    }
    return id;
  }
  std::uint32_t add(std::uint64_t address, std::uint64_t bytes, std::uint32_t thread) {
    const auto id = static_cast<std::uint32_t>(codes_.size());
    add_other(fmt::format("{:#x}:{}@{}", address, bytes, thread));
    return id;
  }

  /// Adds the names that `table` does not have yet.
  void name(NameTable& table) const {
    for (std::size_t i = table.size(); i < codes_.size(); ++i) {
      const std::uint64_t code = codes_[i];
      if ((code & kOther) != 0) {
        table.intern(others_[code & ~kOther]);
      } else {
        std::array<char, 40> text;
        const auto end = fmt::format_to_n(text.data(), text.size(), "{:#x}:{}", code & kAddress, (code >> 48) + 1);
        table.intern({text.data(), end.size});
      }
      OMEN_CHECK(table.size() == i + 1);
    }
  }

 private:
  static constexpr std::uint64_t kOther = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;

  void add_other(std::string text) {
    codes_.push_back(kOther | others_.size());
    others_.push_back(std::move(text));
  }

  std::vector<std::uint64_t> codes_;  ///< address + 2^48 × (bytes - 1), or `kOther` + which of `others_`
  std::vector<std::string> others_;
};

}  // namespace omen::recording
