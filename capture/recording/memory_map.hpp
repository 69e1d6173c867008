/// \file
/// Memory cut into variables. A variable is a piece of memory that every access of the run touches as a whole or not at
/// all, so that two accesses conflict exactly if they touch a common variable. The pieces are known before the first
/// event is written: a first pass over the recording collects where accesses begin and end.
///
/// Pieces do not reach over the boundary of a 4 KiB page.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace omen::recording {

struct Piece {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t variable = kNone;
  bool alive = false;    ///< accessed, or freed, in its present life
  bool renewed = false;  ///< the next access begins a new life
};

class MemoryMap {
 public:
  static constexpr std::uint64_t kPage = 4096;

  /// First pass: an access to [begin, end).
  void cut(std::uint64_t begin, std::uint64_t end);
  void mark_plain(std::uint64_t begin, std::uint64_t end);
  void mark_mixed(std::uint64_t begin, std::uint64_t end) { mark(begin, end, &Page::mixed); }
  void mark_benign(std::uint64_t begin, std::uint64_t end) { mark(begin, end, &Page::benign); }
  bool any_plain(std::uint64_t begin, std::uint64_t end) const;

  /// Between the passes.
  void seal();

  /// Second pass: `take(begin, end, piece, mixed, benign)` for each piece that [begin, end) covers.
  template <class Take>
  void for_each_piece(std::uint64_t begin, std::uint64_t end, Take take) {
    while (begin < end) {
      Page& page = this->page(begin / kPage);
      const std::uint64_t base = begin & ~(kPage - 1);
      const std::uint64_t stop = std::min(end, base + kPage);
      while (begin < stop) {
        const auto offset = static_cast<std::uint32_t>(begin - base);
        const std::uint64_t next = base + page.next_cut(offset + 1);
        take(begin, next, page.piece_at(offset), bit(page.mixed, offset), bit(page.benign, offset));
        begin = next;
      }
    }
  }

  /// Every piece that begins inside [begin, end) of memory that is accessed at all, in no particular order:
  /// `take(begin, end, piece)`.
  template <class Take>
  void for_each_known_piece(std::uint64_t begin, std::uint64_t end, Take take) {
    const std::uint64_t first = begin / kPage;
    const std::uint64_t last = (end + kPage - 1) / kPage;
    const auto visit = [&](std::uint64_t number, Page& page) {
      const std::uint64_t base = number * kPage;
      const auto from = static_cast<std::uint32_t>(begin > base ? begin - base : 0);
      const auto to = static_cast<std::uint32_t>(std::min(end - base, kPage));
      for (std::uint32_t at = page.next_cut(from); at < to; at = page.next_cut(at + 1)) {
        if (page.all_plain || bit(page.plain, at)) take(base + at, base + page.next_cut(at + 1), page.piece_at(at));
      }
    };
    if (last - first > pages_.size()) {
      for (auto& [number, page] : pages_) {
        if (number >= first && number < last) visit(number, *page);
      }
      return;
    }
    for (std::uint64_t number = first; number < last; ++number) {
      if (const auto found = pages_.find(number); found != pages_.end()) visit(number, *found->second);
    }
  }

 private:
  using Bits = std::array<std::uint64_t, kPage / 64>;

  /// Cuts inside a page. A page that is only ever touched as a whole has none.
  struct Cuts {
    Bits bits{};
    std::array<std::uint16_t, kPage / 64> before{};  ///< how many cuts come before each word
  };

  struct Page {
    std::unique_ptr<Cuts> cuts;
    std::unique_ptr<Bits> plain;   ///< bytes that plain accesses touch
    std::unique_ptr<Bits> mixed;   ///< bytes that both plain and atomic accesses touch
    std::unique_ptr<Bits> benign;  ///< bytes whose races the program called benign
    bool all_plain = false;
    std::vector<Piece> pieces;

    Piece& piece_at(std::uint32_t offset) {
      if (!cuts) return pieces[0];
      const std::uint64_t below = cuts->bits[offset / 64] & ((std::uint64_t{1} << (offset % 64)) - 1);
      return pieces[cuts->before[offset / 64] + static_cast<std::size_t>(std::popcount(below))];
    }
    /// The first cut at or after `offset`; the page's end if there is none.
    std::uint32_t next_cut(std::uint32_t offset) const {
      if (!cuts) return offset == 0 ? 0 : kPage;
      for (std::uint32_t word = offset / 64; word < cuts->bits.size(); ++word) {
        std::uint64_t bits = cuts->bits[word];
        if (word == offset / 64) bits &= ~std::uint64_t{0} << (offset % 64);
        if (bits != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      }
      return kPage;
    }
  };

  static bool bit(const std::unique_ptr<Bits>& bits, std::uint32_t at) {
    return bits && ((*bits)[at / 64] >> (at % 64) & 1) != 0;
  }
  Page& page(std::uint64_t number);
  void mark(std::uint64_t begin, std::uint64_t end, std::unique_ptr<Bits> Page::* bits);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_page_ = nullptr;  ///< the page asked for last: accesses come in groups
  std::uint64_t last_number_ = ~std::uint64_t{0};
};

}  // namespace omen::recording
