#include "trace/formats/omen_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/formats/format.hpp"
#include "trace/formats/omen_capture_info.hpp"
#include "trace/formats/omen_names.hpp"
#include "trace/formats/omen_reader.hpp"

namespace omen {

using layout::IndexEntry;
using layout::Kind;

namespace {

/// Reads the bytes of another source, which must outlive it.
class Borrowed final : public ByteSource {
 public:
  explicit Borrowed(ByteSource& bytes) : bytes_(bytes) {}
  std::expected<std::size_t, InputError> read(std::span<char> out) override {
    auto count = bytes_.read_at(at_, out);
    if (count) at_ += *count;
    return count;
  }
  std::expected<std::size_t, InputError> read_at(std::uint64_t offset, std::span<char> out) override {
    return bytes_.read_at(offset, out);
  }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  const std::string& name() const override { return bytes_.name(); }

 private:
  ByteSource& bytes_;
  std::uint64_t at_ = 0;
};

/// The end of the file is damaged. Reads from the start to find out how much of it is intact.
InputError explain(ByteSource& bytes, InputError error) {
  OmenReader reader(std::make_unique<Borrowed>(bytes));
  while (true) {
    auto block = reader.next();
    if (!block) return std::move(block.error());
    if (block->empty()) return error;
  }
}

}  // namespace

std::expected<OmenFile, InputError> OmenFile::open(const std::string& path) {
  auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return open(std::move(*bytes));
}

std::expected<OmenFile, InputError> OmenFile::open(std::unique_ptr<ByteSource> bytes) {
  if (!bytes->size()) {
    return std::unexpected(InputError{bytes->name(), "", "expected a file with an index, not a pipe"});
  }
  OmenFile file(std::move(bytes));
  if (auto ok = file.read_index(); !ok) return std::unexpected(explain(*file.bytes_, std::move(ok.error())));
  return file;
}

std::expected<void, InputError> OmenFile::read_index() {
  OmenCursor cursor(*bytes_);
  cursor.seek(0);
  if (auto ok = read_file_header(cursor); !ok) return ok;
  const std::uint64_t size = *bytes_->size();
  if (size < sizeof(layout::FileHeader) + sizeof(layout::Trailer)) {
    cursor.seek(size);
    return std::unexpected(cursor.truncated("the trailer"));
  }
  const std::uint64_t trailer_offset = size - sizeof(layout::Trailer);
  cursor.seek(trailer_offset);
  const auto trailer = read_trailer(cursor);
  if (!trailer) return std::unexpected(trailer.error());
  events_ = trailer->events;
  cursor.intact_events = trailer->events;
  cursor.seek(trailer->index_offset);
  const auto header = section_.read(cursor);
  if (!header) return std::unexpected(header.error());
  if (header->kind != Kind::Index || cursor.offset() != trailer_offset) {
    return std::unexpected(cursor.error(trailer->index_offset, "expected the index, right before the trailer"));
  }
  return take_index(trailer->index_offset, section_.payload());
}

std::expected<void, InputError> OmenFile::take_index(std::uint64_t index_offset, std::span<const char> payload) {
  const auto refuse = [&] {
    return std::unexpected(InputError{bytes_->name(), "offset " + std::to_string(index_offset),
                                      "expected an index of the sections before it"});
  };
  if (payload.size() % sizeof(IndexEntry) != 0) return refuse();
  entries_.resize(payload.size() / sizeof(IndexEntry));
  if (!payload.empty()) std::memcpy(entries_.data(), payload.data(), payload.size());
  std::uint64_t offset = sizeof(layout::FileHeader);
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const IndexEntry& entry = entries_[i];
    if (entry.offset < offset || entry.offset >= index_offset) return refuse();
    offset = entry.offset + sizeof(layout::SectionHeader);
    if (entry.kind != Kind::Events) continue;
    if (entry.first != events || entry.count == 0) return refuse();
    events += entry.count;
    blocks_.push_back(i);
  }
  if (events != events_) return refuse();
  return {};
}

std::size_t OmenFile::block_of(std::uint64_t event) const {
  OMEN_CHECK(event < events_);
  const auto after = std::ranges::upper_bound(blocks_, event, {}, [&](std::size_t i) { return entries_[i].first; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::expected<void, InputError> OmenFile::read_section(OmenCursor& cursor, const IndexEntry& entry,
                                                       SectionReader::Optional optional) {
  cursor.seek(entry.offset);
  const auto header = section_.read(cursor, optional);
  if (!header) return std::unexpected(header.error());
  if (header->kind != entry.kind || header->count != entry.count || header->first != entry.first) {
    return std::unexpected(cursor.error(entry.offset, "expected the section that the index says"));
  }
  return {};
}

std::expected<std::vector<Event>, InputError> OmenFile::read_block(std::size_t block) {
  OMEN_CHECK(block < blocks_.size());
  const IndexEntry& wanted = entries_[blocks_[block]];
  OmenCursor cursor(*bytes_);
  cursor.intact_events = wanted.first;
  for (; names_until_ < blocks_[block]; ++names_until_) {
    const IndexEntry& entry = entries_[names_until_];
    if (entry.kind != Kind::Names) continue;
    if (auto ok = read_section(cursor, entry); !ok) return std::unexpected(std::move(ok.error()));
    if (auto ok = decode_names(section_.payload(), entry.count, names_); !ok) {
      return std::unexpected(cursor.error(entry.offset, std::move(ok.error())));
    }
  }
  if (auto ok = read_section(cursor, wanted); !ok) return std::unexpected(std::move(ok.error()));
  if (auto ok = decoder_.start(section_.payload(), wanted.count, names_); !ok) {
    return std::unexpected(cursor.error(wanted.offset, std::move(ok.error())));
  }
  std::vector<Event> events(wanted.count);
  if (auto ok = decoder_.decode(events); !ok) {
    return std::unexpected(InputError{
        bytes_->name(),
        "offset " + std::to_string(wanted.offset) + ", event " + std::to_string(wanted.first + ok.error().event),
        std::move(ok.error().why)});
  }
  return events;
}

std::expected<std::optional<CaptureInfo>, InputError> OmenFile::read_capture_info() {
  std::optional<CaptureInfo> info;
  OmenCursor cursor(*bytes_);
  cursor.intact_events = events_;
  for (const IndexEntry& entry : entries_) {
    if (!is_capture_section(entry.kind)) continue;
    if (!info) info.emplace();
    if (auto ok = read_section(cursor, entry, SectionReader::Optional::Wanted); !ok) {
      return std::unexpected(std::move(ok.error()));
    }
    if (auto ok = decode_capture_section(entry.kind, entry.count, section_.payload(), *info); !ok) {
      return std::unexpected(cursor.error(entry.offset, std::move(ok.error())));
    }
  }
  return info;
}

std::expected<std::optional<CaptureInfo>, InputError> read_capture_info(const std::string& path) {
  const auto format = format_of(path);
  if (!format) return std::unexpected(format.error());
  if (*format != Format::Omen) return std::nullopt;
  auto file = OmenFile::open(path);
  if (!file) return std::unexpected(std::move(file.error()));
  return file->read_capture_info();
}

}  // namespace omen
