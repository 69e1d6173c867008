/// \file
/// The names of a trace's identifiers. Identifiers are assigned in the order in which names first appear.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/ids.hpp"
#include "trace/operation.hpp"

namespace omen {

/// The limit for names and locations, which bounds a line of text and a block of names.
inline constexpr std::size_t kMaxNameBytes = 65535;

/// The distinct texts of one kind. References to texts stay valid while the table lives.
///
/// Readers of text look up two or three names per event, so the lookup is an open-addressing table of (hash,
/// identifier) pairs: one probe and one comparison in the common case.
class NameTable {
 public:
  /// The identifier of `text`, which is added if it is new.
  std::uint32_t intern(std::string_view text);
  std::optional<std::uint32_t> find(std::string_view text) const;
  const std::string& operator[](std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = kEmpty;
  };
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::deque<std::string> texts_;  // a deque: references to its strings survive growth
  std::vector<Slot> slots_;        // a power of two, at most half full
};

class Names {
 public:
  Names() = default;
  Names(const Names&) = delete;  // large; copies would be accidental
  Names& operator=(const Names&) = delete;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  NameTable& of(OperandKind kind) { return tables_[static_cast<std::size_t>(kind)]; }
  const NameTable& of(OperandKind kind) const { return tables_[static_cast<std::size_t>(kind)]; }
  NameTable& locations() { return locations_; }
  const NameTable& locations() const { return locations_; }

  const std::string& of(ThreadId id) const { return of(OperandKind::Thread)[static_cast<std::uint32_t>(id)]; }
  const std::string& of(LockId id) const { return of(OperandKind::Lock)[static_cast<std::uint32_t>(id)]; }
  const std::string& of(VariableId id) const { return of(OperandKind::Variable)[static_cast<std::uint32_t>(id)]; }

  /// Decimal numbers without leading zeros, below 2^31, are stored in the identifier itself.
  LocationId intern_location(std::string_view text);
  std::string text(LocationId id) const;

 private:
  std::array<NameTable, kOperandKindCount> tables_;
  NameTable locations_;
};

/// The number that `text` spells, if `intern_location` would store it in the identifier.
std::optional<std::uint32_t> numeric_location(std::string_view text);

}  // namespace omen
