/// \file
/// Writes raw recordings by hand, record by record, for tests of the conversion.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "capture/runtime/records/raw_layout.hpp"

namespace omen::recording {

class RawWriter {
 public:
  raw::RawFileHeader header = [] {
    raw::RawFileHeader result{};
    std::memcpy(result.magic, raw::kMagic, sizeof raw::kMagic);
    result.version = raw::kVersion;
    result.process = 4711;
    return result;
  }();

  /// A record with its own number.
  void add(std::uint32_t thread, std::uint64_t number, raw::RawOp op, std::uint64_t address = 0,
           std::uint64_t length = 0, std::uint32_t node = 0) {
    Thread& log = threads_[thread];
    put(log, number, op, raw::pack_place(address, length < raw::kLongLength ? length : raw::kLongLength), node);
    if (length >= raw::kLongLength) put(log, number, raw::RawOp::More, length, 0);
  }
  /// A record of one word.
  void add_word(std::uint32_t thread, std::uint64_t word) { threads_[thread].words.push_back(word); }
  void more(std::uint32_t thread, std::uint64_t value) {
    put(threads_[thread], threads_[thread].number, raw::RawOp::More, value, 0);
  }

  std::string bytes() const {
    std::string file(raw::kFileHeaderBytes, '\0');
    std::memcpy(file.data(), &header, sizeof header);
    for (const auto& [thread, log] : threads_) {
      raw::ChunkHeader chunk{};
      chunk.magic = raw::kChunkMagic;
      chunk.thread = thread;
      chunk.bytes = sizeof chunk + (log.words.size() + 1) * sizeof(std::uint64_t);
      file.append(reinterpret_cast<const char*>(&chunk), sizeof chunk);
      file.append(reinterpret_cast<const char*>(log.words.data()), log.words.size() * sizeof(std::uint64_t));
      file.append(sizeof(std::uint64_t), '\0');
    }
    return file;
  }
  void write(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes(); }

 private:
  struct Thread {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> words;
  };
  static void put(Thread& log, std::uint64_t number, raw::RawOp op, std::uint64_t place, std::uint32_t node) {
    log.words.insert(log.words.end(), {raw::pack_rest(op, number - log.number, node), place});
    log.number = number;
  }
  std::map<std::uint32_t, Thread> threads_;
};

}  // namespace omen::recording
