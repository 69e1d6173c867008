/// \file
/// Memory divided into variables. A variable is a piece of memory that every access of the run touches as a whole or
/// not at all, so that two accesses conflict exactly if they touch a common variable. The pieces are known before the
/// first event is written: a first pass over the recording collects where accesses begin and end.
///
/// Pieces do not cross the boundary of a 4 KiB page.
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
  bool alive = false;    ///< accessed, or freed, in its current life
  bool renewed = false;  ///< the next access begins a new life
  bool freed = false;    ///< freed, and the next life has not begun
};

class MemoryMap {
 public:
  static constexpr std::uint64_t kPage = 4096;

  /// First pass: a plain access of a thread to [begin, end).
  void plain(std::uint64_t begin, std::uint64_t end, std::uint32_t thread) {
    const std::uint64_t offset = begin % kPage;
    const std::uint64_t length = end - begin;
    if (offset % 64 + length <= 64 && length != 0) [[likely]] {
      Page& page = this->page(begin / kPage);
      if (page.cuts && page.plain) [[likely]] {
        // Both ends are in one word of 64 bytes, or the second is at the beginning of the next.
        const std::uint64_t bytes = (length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1)
                                    << (offset % 64);
        page.cuts->bits[offset / 64] |= std::uint64_t{1} << (offset % 64);
        if (const std::uint64_t stop = offset + length; stop != kPage) {
          page.cuts->bits[stop / 64] |= std::uint64_t{1} << (stop % 64);
        }
        (*page.plain)[offset / 64] |= bytes;
        page.touch(offset / 64, thread);
        return;
      }
    }
    cut(begin, end);
    mark_plain(begin, end);
    touch(begin, end, thread);
  }
  /// The thread accesses this memory, plainly or atomically.
  void touch(std::uint64_t begin, std::uint64_t end, std::uint32_t thread);
  void cut(std::uint64_t begin, std::uint64_t end);
  void mark_mixed(std::uint64_t begin, std::uint64_t end) { mark(begin, end, &Page::mixed); }
  bool any_plain(std::uint64_t begin, std::uint64_t end) const;

  /// Before `seal`: no piece has 3, 5, 6 or 7 bytes. Values are numbers of 1, 2, 4 or 8.
  void cut_to_widths();
  /// Called between the passes.
  void seal();
  /// Called after a second pass, before another one.
  void forget_lives();

  /// Second pass: `take(begin, end, piece, kind)` for each piece that [begin, end) covers.
  struct Kind {
    bool mixed;   ///< accessed both plainly and atomically
    bool shared;  ///< several threads may access it; if false, only one does throughout the run
  };
  template <class Take>
  void for_each_piece(std::uint64_t begin, std::uint64_t end, Take take) {
    while (begin < end) {
      Page& page = this->page(begin / kPage);
      const std::uint64_t base = begin & ~(kPage - 1);
      const std::uint64_t stop = std::min(end, base + kPage);
      while (begin < stop) {
        const auto offset = static_cast<std::uint32_t>(begin - base);
        const std::uint64_t next = base + page.next_cut(offset + 1);
        take(begin, next, page.piece_at(offset), Kind{bit(page.mixed, offset), page.shared(offset)});
        begin = next;
      }
    }
  }

  /// Calls `take(begin, end, piece, shared)` for every piece that begins inside [begin, end) and is accessed in the
  /// run, in no particular order.
  template <class Take>
  void for_each_known_piece(std::uint64_t begin, std::uint64_t end, Take take) {
    const std::uint64_t first = begin / kPage;
    const std::uint64_t last = (end + kPage - 1) / kPage;
    const auto visit = [&](std::uint64_t number, Page& page) {
      const std::uint64_t base = number * kPage;
      const auto from = static_cast<std::uint32_t>(begin > base ? begin - base : 0);
      const auto to = static_cast<std::uint32_t>(std::min(end - base, kPage));
      for (std::uint32_t at = page.next_cut(from); at < to; at = page.next_cut(at + 1)) {
        if (page.all_plain || bit(page.plain, at)) {
          take(base + at, base + page.next_cut(at + 1), page.piece_at(at), page.shared(at));
        }
      }
    };
    if (last - first > pages_.size()) {
      for (auto& [number, page] : pages_) {
        if (number >= first && number < last) visit(number, *page);
      }
      return;
    }
    for (std::uint64_t number = first; number < last; ++number) {
      if (Page* const page = page_if_known(number)) visit(number, *page);
    }
  }

 private:
  using Bits = std::array<std::uint64_t, kPage / 64>;

  /// Cuts inside a page. A page that is only accessed as a whole has none.
  struct Cuts {
    Bits bits{};
    std::array<std::uint16_t, kPage / 64> before{};  ///< the number of cuts before each word
  };

  struct Page {
    std::unique_ptr<Cuts> cuts;
    std::unique_ptr<Bits> plain;  ///< bytes that plain accesses touch
    std::unique_ptr<Bits> mixed;  ///< bytes that both plain and atomic accesses touch
    bool all_plain = false;
    /// For each line of 64 bytes: the thread + 1 that accesses it, or `kMany`. An access to a piece counts for the line
    /// in which the piece begins.
    std::array<std::uint16_t, kPage / 64> owner{};
    std::vector<Piece> pieces;

    static constexpr std::uint16_t kMany = 0xffff;
    void touch(std::uint64_t line, std::uint32_t thread) {
      const auto mine = static_cast<std::uint16_t>(std::min<std::uint32_t>(thread + 1, kMany));
      if (owner[line] != mine) owner[line] = owner[line] == 0 ? mine : kMany;
    }
    bool shared(std::uint32_t offset) const { return owner[offset / 64] == kMany; }

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
  Page& page(std::uint64_t number) {
    Known& known = known_[number % kKnown];
    if (known.number != number) [[unlikely]]
      known = {number, &find_page(number)};
    return *known.page;
  }
  Page* page_if_known(std::uint64_t number) {
    Known& known = known_[number % kKnown];
    if (known.number != number) {
      const auto found = pages_.find(number);
      if (found == pages_.end()) return nullptr;
      known = {number, found->second.get()};
    }
    return known.page;
  }
  Page& find_page(std::uint64_t number);
  void mark_plain(std::uint64_t begin, std::uint64_t end);
  void mark(std::uint64_t begin, std::uint64_t end, std::unique_ptr<Bits> Page::* bits);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;

  /// Recently used pages.
  struct Known {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };
  static constexpr std::size_t kKnown = 4096;
  std::vector<Known> known_ = std::vector<Known>(kKnown);
};

}  // namespace omen::recording
