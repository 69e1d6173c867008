/// \file
/// Reading raw recordings. A recording may end anywhere: the program may have been killed.
#include "capture/recording/raw_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace omen::recording {

using raw::RawOp;
using raw::Record;

namespace {
constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 40;
}  // namespace

std::expected<RawFile, InputError> RawFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::unexpected(InputError{path, "", std::strerror(errno)});
  struct stat status = {};
  void* memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED)
    return std::unexpected(InputError{path, "offset 0", "expected a recording, found an empty file"});
  RawFile result(path, {static_cast<const char*>(memory), static_cast<std::size_t>(status.st_size)});
  if (auto found = result.find_chunks(); !found) return std::unexpected(std::move(found.error()));
  return result;
}

RawFile::RawFile(RawFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})), threads_(std::move(other.threads_)) {}

RawFile::~RawFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

InputError RawFile::error(std::uint64_t offset, std::string message) const {
  return InputError{path_, "offset " + std::to_string(offset), std::move(message)};
}

std::expected<void, InputError> RawFile::find_chunks() {
  if (bytes_.size() < raw::kFileHeaderBytes || std::memcmp(header().magic, raw::kMagic, sizeof raw::kMagic) != 0) {
    return std::unexpected(error(0, "expected a recording"));
  }
  if (header().version != raw::kVersion) {
    return std::unexpected(error(8, "expected version " + std::to_string(raw::kVersion)));
  }
  std::uint64_t offset = raw::kFileHeaderBytes;
  while (offset + sizeof(raw::ChunkHeader) <= bytes_.size()) {
    const auto& chunk = *reinterpret_cast<const raw::ChunkHeader*>(bytes_.data() + offset);
    // A chunk that was reserved and never written: the size is there, or nothing at all.
    if (chunk.bytes == 0) break;
    if (chunk.bytes < sizeof chunk || chunk.bytes % sizeof(Record) != 0 || chunk.bytes > bytes_.size() - offset) {
      return std::unexpected(error(offset, "expected a chunk's size"));
    }
    if (chunk.magic == raw::kChunkMagic) {
      if (chunk.thread >= records()) return std::unexpected(error(offset, "expected a thread's number"));
      if (chunk.thread >= threads_.size()) threads_.resize(chunk.thread + 1);
      threads_[chunk.thread].push_back(
          {chunk.number,
           {reinterpret_cast<const Record*>(&chunk + 1), (chunk.bytes - sizeof chunk) / sizeof(Record)},
           offset});
    }
    offset += chunk.bytes;
  }
  return {};
}

bool ThreadCursor::start_chunk() {
  at_ = 0;
  if (chunk_ >= chunks_->size()) return false;
  number_ = (*chunks_)[chunk_].number;
  return true;
}

const Record* ThreadCursor::peek() {
  while (chunk_ < chunks_->size()) {
    const auto& records = (*chunks_)[chunk_].records;
    if (at_ < records.size() && records[at_].op() != RawOp::End) return &records[at_];
    ++chunk_;
    start_chunk();
  }
  return nullptr;
}

bool ThreadCursor::next(Entry& entry) {
  for (;;) {
    const Record* const record = peek();
    if (record == nullptr) return false;
    advance();
    if (record->op() == RawOp::Number) {
      number_ = record->place;
      continue;
    }
    if (record->op() == RawOp::More) continue;  // of an entry whose reader did not want it
    number_ += record->step();
    entry = {record->op(), record->address(), record->length(), record->node(), number_};
    if (entry.length == raw::kLongLength) entry.length = more();
    // No program has so much memory: damage, and nothing may be allocated for it.
    if (entry.length > kMaxLength) entry.length = 0;
    return true;
  }
}

std::uint64_t ThreadCursor::more() {
  const Record* const record = peek();
  if (record == nullptr || record->op() != RawOp::More) return 0;
  number_ += record->step();
  advance();
  return record->place;
}

std::string ThreadCursor::text() {
  const Record* const record = peek();
  if (record == nullptr || record->op() != RawOp::Text) return {};
  number_ += record->step();
  advance();
  std::string result;
  std::size_t left = record->length();
  while (left > 0) {
    const std::uint64_t eight = more();
    const std::size_t now = std::min<std::size_t>(left, 8);
    result.append(reinterpret_cast<const char*>(&eight), now);
    left -= now;
  }
  return result;
}

}  // namespace omen::recording
