/// \file
/// Reading raw recordings. A recording may end anywhere: the program may have been killed.
#include "capture/recording/raw_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace omen::recording {

using raw::RawOp;
using raw::Record;

namespace {

/// Releases the memory of whole pages; their contents are still in the file.
void forget(std::span<const char> bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = begin & ~(kPage - 1);  // includes the chunk's header
  const std::uintptr_t last = (begin + bytes.size()) & ~(kPage - 1);
  if (first < last) madvise(const_cast<char*>(bytes.data()) - (begin - first), last - first, MADV_DONTNEED);
}
std::span<const char> bytes_of(std::span<const std::uint64_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

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
  constexpr std::uint64_t kForgetEvery = std::uint64_t{16} << 20;
  std::uint64_t forgotten = 0;
  std::uint64_t offset = raw::kFileHeaderBytes;
  while (offset + sizeof(raw::ChunkHeader) <= bytes_.size()) {
    const auto& chunk = *reinterpret_cast<const raw::ChunkHeader*>(bytes_.data() + offset);
    if (offset - forgotten >= kForgetEvery) {
      // Reading a header maps the pages around it.
      forget(bytes_.subspan(forgotten, offset - forgotten));
      forgotten = offset;
    }
    // A chunk that was reserved and never written: only its size is set, or nothing at all.
    if (chunk.bytes == 0) {
      offset += raw::kChunkBytes;
      continue;
    }
    const std::uint64_t left = bytes_.size() - offset;
    const bool cut_off = chunk.bytes == raw::kChunkBytes && chunk.bytes > left;  // the kill came while it was copied
    if (chunk.bytes < sizeof chunk || chunk.bytes % sizeof(std::uint64_t) != 0 || (chunk.bytes > left && !cut_off)) {
      return std::unexpected(error(offset, "expected a chunk's size"));
    }
    if (chunk.magic == raw::kChunkMagic) {
      if (chunk.thread >= records()) return std::unexpected(error(offset, "expected a thread's number"));
      if (chunk.thread >= threads_.size()) threads_.resize(chunk.thread + 1);
      threads_[chunk.thread].push_back({chunk.number,
                                        chunk.order,
                                        {reinterpret_cast<const std::uint64_t*>(&chunk + 1),
                                         (std::min(chunk.bytes, left) - sizeof chunk) / sizeof(std::uint64_t)},
                                        offset});
    }
    offset += chunk.bytes;
  }
  put_in_order();
  forget(bytes_.subspan(forgotten));
  return {};
}

/// Sorts the chunks by their order in the thread. Of two copies of a chunk it keeps the longer one.
void RawFile::put_in_order() {
  const auto length = [](const Chunk& chunk) {
    std::size_t at = 0;
    while (at < chunk.words.size() && !raw::is_end(chunk.words[at])) at += raw::words_of_record(chunk.words[at]);
    return at;
  };
  for (std::vector<Chunk>& chunks : threads_) {
    std::ranges::sort(chunks, {}, [](const Chunk& chunk) { return std::pair(chunk.order, chunk.offset); });
    std::vector<Chunk> single;
    for (const Chunk& chunk : chunks) {
      if (single.empty() || single.back().order != chunk.order) {
        single.push_back(chunk);
      } else if (length(chunk) > length(single.back())) {
        single.back() = chunk;
      }
    }
    chunks = std::move(single);
  }
}

void ThreadCursor::start_chunk() {
  at_ = end_ = nullptr;
  if (chunk_ >= chunks_->size()) return;
  const RawFile::Chunk& chunk = (*chunks_)[chunk_];
  number_ = chunk.number;
  bases_ = {};
  windows_ = {};
  frame_ = 0;
  at_ = chunk.words.data();
  end_ = at_ + chunk.words.size();
}

bool ThreadCursor::next_chunk() {
  while (chunk_ < chunks_->size()) {
    forget(bytes_of((*chunks_)[chunk_].words));
    ++chunk_;
    start_chunk();
    if (is_record()) return true;
  }
  return false;
}

const Record* ThreadCursor::take_if(RawOp op) {
  if (!peek() || (*at_ & 0xff) != static_cast<std::uint64_t>(op)) return nullptr;
  const Record& record = take();
  number_ += record.step();
  return &record;
}

std::uint64_t ThreadCursor::more() {
  const Record* const record = take_if(RawOp::More);
  return record == nullptr ? 0 : record->place;
}

std::string ThreadCursor::text() {
  const Record* const record = take_if(RawOp::Text);
  if (record == nullptr) return {};
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
