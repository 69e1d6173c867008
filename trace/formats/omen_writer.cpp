#include "trace/formats/omen_writer.hpp"

#include <algorithm>
#include <utility>

#include "trace/formats/omen_capture_info.hpp"
#include "trace/formats/omen_columns.hpp"
#include "trace/formats/omen_names.hpp"
#include "trace/quote.hpp"

namespace omen {

using layout::Kind;

namespace {

constexpr std::size_t kNamesBytes = 1U << 20;  // a block of names is split at this size
static_assert(kNamesBytes + kMaxNameBytes + 3 <= layout::kMaxRawBytes);

template <class Record>
std::span<const char> as_bytes(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof record};
}

}  // namespace

OmenWriter::OmenWriter(std::unique_ptr<ByteSink> bytes, std::uint32_t block_events)
    : bytes_(std::move(bytes)), block_events_(block_events) {
  OMEN_CHECK(block_events >= 1 && block_events <= layout::kMaxBlockEvents);
  pending_.reserve(block_events);
}

OmenWriter::Result OmenWriter::put(std::span<const char> bytes) {
  if (offset_ == 0) {
    const layout::FileHeader header;
    if (auto ok = bytes_->write(as_bytes(header)); !ok) return ok;
    offset_ = sizeof header;
  }
  if (auto ok = bytes_->write(bytes); !ok) return ok;
  offset_ += bytes.size();
  return {};
}

OmenWriter::Result OmenWriter::put_section(Kind kind, std::uint32_t count, std::uint64_t first) {
  const std::uint64_t offset = std::max<std::uint64_t>(offset_, sizeof(layout::FileHeader));
  if (auto ok = put(section_.make({.kind = kind, .count = count, .first = first}, raw_)); !ok) return ok;
  raw_.clear();
  if (kind == Kind::Index) return {};
  index_.push_back({.offset = offset, .first = first, .kind = kind, .count = count});
  if (index_.size() * sizeof(layout::IndexEntry) > layout::kMaxIndexBytes) {
    return std::unexpected(InputError{bytes_->name(), "", "the trace has more blocks than an .omen file can index"});
  }
  return {};
}

OmenWriter::Result OmenWriter::put_names_section() {
  if (names_in_raw_ == 0) return {};
  const std::uint32_t count = std::exchange(names_in_raw_, 0);
  const std::uint64_t first = std::exchange(names_written_, names_written_ + count);
  return put_section(Kind::Names, count, first);
}

OmenWriter::Result OmenWriter::put_new_names(std::uint8_t number, const NameTable& table, std::size_t& written) {
  for (; written < table.size(); ++written) {
    const std::string& name = table[static_cast<std::uint32_t>(written)];
    if (name.size() > kMaxNameBytes || (name.empty() && number != layout::kLocationTable)) {
      return std::unexpected(InputError{bytes_->name(), "",
                                        "the name " + quoted(name) + " cannot be written: expected 1 to " +
                                            std::to_string(kMaxNameBytes) + " bytes"});
    }
    encode_name(number, name, raw_);
    ++names_in_raw_;
    if (raw_.size() >= kNamesBytes) {
      if (auto ok = put_names_section(); !ok) {
        return ok;
      }
    }
  }
  return {};
}

OmenWriter::Result OmenWriter::put_new_names(const Names& names) {
  for (std::uint8_t kind = 1; kind < kOperandKindCount; ++kind) {
    if (auto ok = put_new_names(kind, names.of(static_cast<OperandKind>(kind)), names_seen_[kind]); !ok) return ok;
  }
  if (auto ok = put_new_names(layout::kLocationTable, names.locations(), names_seen_[kOperandKindCount]); !ok)
    return ok;
  return put_names_section();
}

OmenWriter::Result OmenWriter::put_events(const Names& names) {
  if (auto ok = put_new_names(names); !ok || pending_.empty()) return ok;
  encode_events(pending_, raw_);
  const auto count = static_cast<std::uint32_t>(pending_.size());
  const std::uint64_t first = std::exchange(events_written_, events_written_ + count);
  pending_.clear();
  return put_section(Kind::Events, count, first);
}

OmenWriter::Result OmenWriter::write(std::span<const Event> events, const Names& names) {
  while (!events.empty()) {
    const std::size_t fit = std::min<std::size_t>(events.size(), block_events_ - pending_.size());
    pending_.insert(pending_.end(), events.begin(), events.begin() + static_cast<std::ptrdiff_t>(fit));
    events = events.subspan(fit);
    if (pending_.size() == block_events_) {
      if (auto ok = put_events(names); !ok) return ok;
    }
  }
  return {};
}

OmenWriter::Result OmenWriter::attach(const CaptureInfo& info, const Names& names) {
  if (auto ok = put_events(names); !ok) return ok;
  for (CaptureSection& section : encode_capture_info(info)) {
    raw_ = std::move(section.raw);
    if (auto ok = put_section(section.kind, section.count, section.first); !ok) return ok;
  }
  return {};
}

OmenWriter::Result OmenWriter::finish(const Names& names) {
  if (auto ok = put_events(names); !ok) return ok;
  const std::uint64_t index_offset = std::max<std::uint64_t>(offset_, sizeof(layout::FileHeader));
  const auto* entries = reinterpret_cast<const char*>(index_.data());
  raw_.assign(entries, entries + index_.size() * sizeof(layout::IndexEntry));
  if (auto ok = put_section(Kind::Index, static_cast<std::uint32_t>(index_.size()), 0); !ok) return ok;
  if (auto ok = put(as_bytes(make_trailer(index_offset, events_written_))); !ok) return ok;
  return bytes_->commit();
}

}  // namespace omen
