#include "trace/formats/omen_names.hpp"

#include <cstring>

#include "trace/error.hpp"
#include "trace/formats/omen_layout.hpp"
#include "trace/quote.hpp"

namespace omen {
namespace {

constexpr std::size_t kHeaderBytes = 3;
static_assert(kMaxNameBytes <= 0xffff);

NameTable* table_of(Names& names, std::uint8_t table) {
  if (table == layout::kLocationTable) return &names.locations();
  if (table == static_cast<std::uint8_t>(OperandKind::None) || table >= kOperandKindCount) return nullptr;
  return &names.of(static_cast<OperandKind>(table));
}

}  // namespace

void encode_name(std::uint8_t table, std::string_view name, std::vector<char>& out) {
  OMEN_CHECK(name.size() <= kMaxNameBytes);
  const auto length = static_cast<std::uint16_t>(name.size());
  out.push_back(static_cast<char>(table));
  out.push_back(static_cast<char>(length & 0xff));
  out.push_back(static_cast<char>(length >> 8));
  out.insert(out.end(), name.begin(), name.end());
}

std::expected<void, std::string> decode_names(std::span<const char> payload, std::uint32_t count, Names& names) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (payload.size() < kHeaderBytes) return std::unexpected("expected " + std::to_string(count) + " names");
    const auto table_number = static_cast<std::uint8_t>(payload[0]);
    std::uint16_t length = 0;
    std::memcpy(&length, payload.data() + 1, sizeof length);
    payload = payload.subspan(kHeaderBytes);
    NameTable* table = table_of(names, table_number);
    if (table == nullptr) {
      return std::unexpected("expected the number of a table of names, not " + std::to_string(table_number));
    }
    if (payload.size() < length) return std::unexpected("expected a name of " + std::to_string(length) + " bytes");
    const std::string_view name(payload.data(), length);
    payload = payload.subspan(length);
    if (name.empty() && table_number != layout::kLocationTable)
      return std::unexpected("expected a name, not an empty one");
    const std::size_t before = table->size();
    if (before >= kNumericLocation) return std::unexpected("expected at most 2^31 names of a kind");
    if (table->intern(name) != before) return std::unexpected("expected a new name, not " + quoted(name) + " again");
  }
  if (!payload.empty()) return std::unexpected("expected no more than " + std::to_string(count) + " names");
  return {};
}

}  // namespace omen
