/// \file
/// A raw recording (capture/runtime/records/raw_layout.hpp) as sequences of records, one per thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/runtime/records/raw_layout.hpp"
#include "trace/error.hpp"

namespace omen::recording {

class RawFile {
 public:
  static std::expected<RawFile, InputError> open(const std::string& path);
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;
  RawFile(const RawFile&) = delete;
  ~RawFile();

  const raw::RawFileHeader& header() const { return *reinterpret_cast<const raw::RawFileHeader*>(bytes_.data()); }

  struct Chunk {
    std::uint64_t number;  ///< the number of the last record before the chunk
    std::uint64_t order;   ///< position among the chunks of its thread
    std::span<const std::uint64_t> words;
    std::uint64_t offset;  ///< in the file, for messages
  };
  /// By thread, in the order of writing.
  const std::vector<std::vector<Chunk>>& threads() const { return threads_; }

  /// An upper bound on the number of records: no thread and no stack has a greater number.
  std::uint64_t records() const { return bytes_.size() / sizeof(raw::Record); }
  InputError error(std::uint64_t offset, std::string message) const;

 private:
  RawFile(std::string path, std::span<const char> bytes) : path_(std::move(path)), bytes_(bytes) {}
  std::expected<void, InputError> find_chunks();
  void put_in_order();

  std::string path_;
  std::span<const char> bytes_;
  std::vector<std::vector<Chunk>> threads_;
};

/// One record with its continuation: lengths that needed a second record, and the number.
struct Entry {
  raw::RawOp op = raw::RawOp::End;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint32_t node = 0;
  std::uint64_t number = 0;
  std::uint64_t pc = 0;  ///< for a short access: its location; `node` is then the node of its function
};

/// Iterates over one thread's records. Definitions (stacks, modules, names) are returned like everything else. Chunks
/// before the current one take no memory: they are read from the file again on demand.
class ThreadCursor {
 public:
  explicit ThreadCursor(const std::vector<RawFile::Chunk>& chunks) : chunks_(&chunks) { start_chunk(); }

  /// False at the end.
  bool next(Entry& entry) { return next<true>(entry); }
  /// The same, without short accesses.
  bool next_long(Entry& entry) { return next<false>(entry); }

  /// For entries with continuation records: 64 bits, or a text. 0 and empty where the recording is truncated.
  std::uint64_t more();
  std::string text();

 private:
  static constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;

  template <bool kShort>
  bool next(Entry& entry) {
    for (;;) {
      if (!peek()) return false;
      if (raw::ShortAccess::is(*at_)) [[likely]] {
        const raw::ShortAccess access(*at_++);
        if constexpr (!kShort) continue;
        entry = {.op = access.op(),
                 .address = bases_[access.base()] | access.lower_address(),
                 .length = access.length(),
                 .node = frame_,
                 .number = number_,
                 .pc = windows_[access.window()] | access.lower_pc()};
        return true;
      }
      if (raw::is_frame(*at_)) {
        frame_ = static_cast<std::uint32_t>(*at_++ >> 32);
        continue;
      }
      const raw::Record& record = take();
      const raw::RawOp op = record.op();
      if (op == raw::RawOp::Number) {
        number_ = record.place;
        continue;
      }
      if (op == raw::RawOp::More) continue;  // the continuation of an entry, which the caller skipped
      number_ += record.step();
      if (op == raw::RawOp::Base) {
        bases_[record.node() % bases_.size()] = record.address() << 32 & kAddress;
        continue;
      }
      if (op == raw::RawOp::Window) {
        windows_[record.node() % windows_.size()] = record.address() << raw::ShortAccess::kWindowBits & kAddress;
        continue;
      }
      if (op == raw::RawOp::Value) {
        entry = {.op = op, .address = record.place, .node = record.node(), .number = number_};
        return true;
      }
      entry = {
          .op = op, .address = record.address(), .length = record.length(), .node = record.node(), .number = number_};
      if (entry.length == raw::kLongLength) [[unlikely]] {
        entry.length = more();
        // No program has this much memory: the file is damaged, and nothing may be allocated for it.
        if (entry.length > kMaxLength) entry.length = 0;
      }
      return true;
    }
  }

  /// True if there is a record at `at_`; advances to the next chunk if necessary.
  bool peek() {
    if (is_record()) [[likely]]
      return true;
    return next_chunk();
  }
  bool is_record() const {
    if (at_ == end_) return false;
    if (raw::ShortAccess::is(*at_)) [[likely]]
      return true;
    return !raw::is_end(*at_) && raw::words_of_record(*at_) <= static_cast<std::size_t>(end_ - at_);
  }
  /// The record at `at_`, of two words.
  const raw::Record& take() {
    return *reinterpret_cast<const raw::Record*>(std::exchange(at_, at_ + raw::kRecordWords));
  }
  /// The same, if it has this operation; null if not.
  const raw::Record* take_if(raw::RawOp op);
  bool next_chunk();
  void start_chunk();

  const std::vector<RawFile::Chunk>* chunks_;
  std::size_t chunk_ = 0;
  const std::uint64_t* at_ = nullptr;
  const std::uint64_t* end_ = nullptr;
  std::array<std::uint64_t, raw::ShortAccess::kBases> bases_{};
  std::array<std::uint64_t, raw::ShortAccess::kWindows> windows_{};
  std::uint32_t frame_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace omen::recording
