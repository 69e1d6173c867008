/// \file
/// Memory of which the recording has no events, since no other thread can reach it: the interpreter's own, byte by
/// byte. A byte knows the word that was stored and which of its bytes it is.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "native/words.hpp"

namespace omen::native {

class PrivateMemory {
 public:
  void store(std::uint64_t address, std::uint64_t bytes, Word word) {
    for (std::uint64_t i = 0; i < bytes; ++i) {
      bytes_[address + i] = {word, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(bytes), age_};
    }
  }

  void store_zeros(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; ++i) store(address + i, 1, {});
  }
  /// They hold nothing that was stored.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; ++i) bytes_.erase(address + i);
  }

  /// Code that is not interpreted has run: it may have written whatever it has the address of.
  void foreign_code_ran() { ++age_; }
  /// All bytes were stored since then.
  bool is_sure(std::uint64_t address, std::uint64_t bytes) const {
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const auto at = bytes_.find(address + i);
      if (at == bytes_.end() || at->second.age != age_) return false;
    }
    return true;
  }

  /// Nothing if some byte was never stored.
  std::optional<Word> load(Words& words, std::uint64_t address, std::uint64_t bytes) const {
    const auto first = bytes_.find(address);
    if (first == bytes_.end()) return std::nullopt;
    bool whole = first->second.index == 0 && first->second.of == bytes;
    Word result;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const auto at = bytes_.find(address + i);
      if (at == bytes_.end()) return std::nullopt;
      const Byte& byte = at->second;
      whole = whole && byte.index == i && byte.of == bytes && byte.word.bits == first->second.word.bits &&
              byte.word.expr == first->second.word.expr;
    }
    if (whole) return first->second.word;
    const auto width = static_cast<values::Width>(bytes * 8);
    const bool is_width = values::is_width(width) && bytes <= 8;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const Byte& byte = bytes_.find(address + i)->second;
      const Word part = part_of(words, byte, is_width);
      if (!is_width) {
        result.bits |= part.bits << (8 * i);
        continue;
      }
      const Word wide = words.resize(values::ExprOp::ZExt, 8, width, part);
      result = words.binary(values::ExprOp::Or, width, result,
                            words.binary(values::ExprOp::Shl, width, wide, {8 * i, values::kNoExpr, false}));
    }
    return result;
  }

 private:
  struct Byte {
    Word word;
    std::uint8_t index = 0;
    std::uint8_t of = 0;    ///< how many bytes the word has
    std::uint32_t age = 0;  ///< when it was stored
  };

  static Word part_of(Words& words, const Byte& byte, bool may_vary) {
    const std::uint64_t shift = std::uint64_t{8} * byte.index;
    const auto from = static_cast<values::Width>(byte.of * 8);
    if (!may_vary || !values::is_width(from))
      return {words.fix(byte.word).bits >> shift & 0xff, values::kNoExpr, false};
    const Word shifted = words.binary(values::ExprOp::LShr, from, byte.word, {shift, values::kNoExpr, false});
    return words.resize(values::ExprOp::Trunc, from, 8, shifted);
  }

  std::unordered_map<std::uint64_t, Byte> bytes_;
  std::uint32_t age_ = 0;
};

}  // namespace omen::native
