#include "trace/names.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace omen {
namespace {

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

/// The slot that holds `text`, or the empty one where it belongs. The table must not be full.
std::size_t NameTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != kEmpty && (slots_[at].hash != hash || texts_[slots_[at].id] != text)) at = (at + 1) & mask;
  return at;
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kEmpty) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != kEmpty) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::uint32_t NameTable::intern(std::string_view text) {
  if (texts_.size() * 2 >= slots_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.id == kEmpty) {
    const auto id = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    slot = {hash, id};
  }
  return slot.id;
}

std::optional<std::uint32_t> NameTable::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[slot_of(text, hash_of(text))];
  if (slot.id == kEmpty) return std::nullopt;
  return slot.id;
}

std::optional<std::uint32_t> numeric_location(std::string_view text) {
  if (text.empty() || text.size() > 10 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (value >= kNumericLocation) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

LocationId Names::intern_location(std::string_view text) {
  if (const auto number = numeric_location(text)) return LocationId{*number | kNumericLocation};
  return LocationId{locations_.intern(text)};
}

std::string Names::text(LocationId id) const {
  const auto value = static_cast<std::uint32_t>(id);
  if ((value & kNumericLocation) != 0) return std::to_string(value & ~kNumericLocation);
  return value < locations_.size() ? locations_[value] : std::string{};
}

}  // namespace omen
