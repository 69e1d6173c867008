#include "trace/formats/omen_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/formats/omen_names.hpp"

namespace omen {

using layout::Kind;

namespace {

constexpr std::size_t kSliceEvents = 4096;  // 64 KiB of events: consumers find them in cache

}  // namespace

OmenReader::OmenReader(std::unique_ptr<ByteSource> bytes)
    : bytes_(std::move(bytes)), cursor_(*bytes_), slice_(kSliceEvents) {}

std::expected<std::span<Event>, InputError> OmenReader::next() {
  if (pending_) return std::unexpected(std::move(*std::exchange(pending_, std::nullopt)));
  if (ended_) return std::span<Event>{};
  if (decoder_.left() == 0) {
    auto more = next_block();
    if (!more || !*more) {
      ended_ = true;
      if (!more) return std::unexpected(std::move(more.error()));
      return std::span<Event>{};
    }
  }
  const std::span<Event> slice = std::span(slice_).first(std::min<std::size_t>(kSliceEvents, decoder_.left()));
  slice_first_ = events_;
  if (auto decoded = decoder_.decode(slice); !decoded) {
    // Events before the bad one are returned first, so that a checker of events finds the first error of the file.
    ended_ = true;
    const std::uint64_t good = block_first_ + decoded.error().event - slice_first_;
    InputError error = error_at(good, std::move(decoded.error().why));
    if (good == 0) return std::unexpected(std::move(error));
    pending_ = std::move(error);
    return slice.first(good);
  }
  events_ += slice.size();
  return slice;
}

std::expected<bool, InputError> OmenReader::next_block() {
  if (!std::exchange(started_, true)) {
    if (auto ok = read_file_header(cursor_); !ok) return std::unexpected(std::move(ok.error()));
  }
  while (true) {
    const std::uint64_t offset = cursor_.offset();
    cursor_.intact_events = events_;
    const auto header = section_.read(cursor_);
    if (!header) return std::unexpected(header.error());
    if (header->kind == Kind::Index) {
      if (auto ok = take_end(offset); !ok) return std::unexpected(std::move(ok.error()));
      return false;
    }
    seen_.push_back({.offset = offset, .first = header->first, .kind = header->kind, .count = header->count});
    if (header->kind == Kind::Names) {
      if (auto ok = take_names(*header); !ok) return std::unexpected(std::move(ok.error()));
    } else if (header->kind == Kind::Events) {
      block_offset_ = offset;
      if (auto ok = take_events(*header); !ok) return std::unexpected(std::move(ok.error()));
      return true;
    }
  }
}

std::expected<void, InputError> OmenReader::take_names(const layout::SectionHeader& header) {
  const auto refuse = [&](std::string why) {
    return std::unexpected(cursor_.damaged(seen_.back().offset, std::move(why)));
  };
  if (header.first != names_read_) {
    return refuse("expected the names from the " + std::to_string(names_read_) + "th on, not from the " +
                  std::to_string(header.first) + "th");
  }
  if (auto ok = decode_names(section_.payload(), header.count, names_); !ok) return refuse(std::move(ok.error()));
  names_read_ += header.count;
  return {};
}

std::expected<void, InputError> OmenReader::take_events(const layout::SectionHeader& header) {
  if (header.first != events_) {
    return std::unexpected(cursor_.damaged(block_offset_, "expected the events from the " + std::to_string(events_) +
                                                              "th on, not from the " + std::to_string(header.first) +
                                                              "th"));
  }
  block_first_ = events_;
  if (auto ok = decoder_.start(section_.payload(), header.count, names_); !ok) {
    return std::unexpected(cursor_.damaged(block_offset_, std::move(ok.error())));
  }
  return {};
}

/// The index has been read; only the trailer may follow.
std::expected<void, InputError> OmenReader::take_end(std::uint64_t index_offset) {
  const std::span<const char> index = section_.payload();
  if (index.size() != seen_.size() * sizeof(layout::IndexEntry) ||
      (!index.empty() && std::memcmp(index.data(), seen_.data(), index.size()) != 0)) {
    return std::unexpected(cursor_.damaged(index_offset, "expected an index of the sections before it"));
  }
  const std::uint64_t trailer_offset = cursor_.offset();
  const auto trailer = read_trailer(cursor_);
  if (!trailer) return std::unexpected(trailer.error());
  if (trailer->index_offset != index_offset || trailer->events != events_) {
    return std::unexpected(cursor_.damaged(trailer_offset, "expected a trailer that fits the file"));
  }
  char extra = 0;
  const std::uint64_t end = cursor_.offset();
  const auto more = cursor_.read({&extra, 1});
  if (!more) return std::unexpected(more.error());
  if (*more != 0) return std::unexpected(cursor_.damaged(end, "expected the end of the file"));
  return {};
}

InputError OmenReader::error_at(std::size_t i, std::string message) const {
  return {bytes_->name(), "offset " + std::to_string(block_offset_) + ", event " + std::to_string(slice_first_ + i),
          std::move(message)};
}

double OmenReader::progress() const {
  const auto size = bytes_->size();
  if (!size) return -1;
  return *size == 0 ? 1 : static_cast<double>(cursor_.offset()) / static_cast<double>(*size);
}

}  // namespace omen
