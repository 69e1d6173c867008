/// \file
/// A raw recording (capture/runtime/raw_layout.hpp) as sequences of records, one per thread.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "capture/runtime/raw_layout.hpp"
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
    std::uint64_t number;  ///< of the last record before it
    std::uint64_t order;   ///< among the chunks of its thread
    std::span<const raw::Record> records;
    std::uint64_t offset;  ///< in the file, for messages
  };
  /// By thread, in the order in which they were written.
  const std::vector<std::vector<Chunk>>& threads() const { return threads_; }

  /// How many records there are at most: no thread and no stack has a greater number.
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

/// One record with what belongs to it: lengths that needed a second record, and the number.
struct Entry {
  raw::RawOp op = raw::RawOp::End;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint32_t node = 0;
  std::uint64_t number = 0;
};

/// Walks through one thread's records. Definitions (stacks, modules, names) are handed out like everything else.
/// Chunks that it has left behind no longer take memory: they are read from the file again if somebody asks.
class ThreadCursor {
 public:
  explicit ThreadCursor(const std::vector<RawFile::Chunk>& chunks) : chunks_(&chunks) { start_chunk(); }

  /// False at the end.
  bool next(Entry& entry) {
    for (;;) {
      const raw::Record* const record = peek();
      if (record == nullptr) return false;
      ++at_;
      const raw::RawOp op = record->op();
      if (op == raw::RawOp::Number) {
        number_ = record->place;
        continue;
      }
      if (op == raw::RawOp::More) continue;  // of an entry whose reader did not want it
      number_ += record->step();
      entry = {op, record->address(), record->length(), record->node(), number_};
      if (entry.length == raw::kLongLength) [[unlikely]] {
        entry.length = more();
        // No program has so much memory: damage, and nothing may be allocated for it.
        if (entry.length > kMaxLength) entry.length = 0;
      }
      return true;
    }
  }

  /// For entries with more behind them: 64 bits, or a text. 0 and empty where the recording was cut off.
  std::uint64_t more();
  std::string text();

 private:
  static constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 40;

  const raw::Record* peek() {
    if (at_ != end_ && at_->op() != raw::RawOp::End) [[likely]]
      return at_;
    return next_chunk();
  }
  const raw::Record* next_chunk();
  void start_chunk();

  const std::vector<RawFile::Chunk>* chunks_;
  std::size_t chunk_ = 0;
  const raw::Record* at_ = nullptr;
  const raw::Record* end_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace omen::recording
