/// \file
/// The first pass of the memory map: cuts and marks.
#include "capture/recording/memory_map.hpp"

#include <algorithm>

namespace omen::recording {

MemoryMap::Page& MemoryMap::find_page(std::uint64_t number) {
  auto& found = pages_[number];
  if (!found) found = std::make_unique<Page>();
  return *found;
}

void MemoryMap::cut(std::uint64_t begin, std::uint64_t end) {
  const auto set = [&](std::uint64_t at) {
    Page& page = this->page(at / kPage);
    if (at % kPage == 0) return;  // a page boundary is always a cut
    if (!page.cuts) {
      page.cuts = std::make_unique<Cuts>();
      page.cuts->bits[0] = 1;
    }
    page.cuts->bits[at % kPage / 64] |= std::uint64_t{1} << (at % 64);
  };
  set(begin);
  for (std::uint64_t at = (begin / kPage + 1) * kPage; at < end; at += kPage) page(at / kPage);
  if (end % kPage != 0) set(end);
}

void MemoryMap::mark(std::uint64_t begin, std::uint64_t end, std::unique_ptr<Bits> Page::* bits) {
  while (begin < end) {
    auto& words = page(begin / kPage).*bits;
    if (!words) words = std::make_unique<Bits>();
    const std::uint64_t offset = begin % kPage;
    const std::uint64_t here = std::min(end - begin, std::uint64_t{64} - offset % 64);
    const std::uint64_t mask = here == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << here) - 1) << (offset % 64);
    (*words)[offset / 64] |= mask;
    begin += here;
  }
}

void MemoryMap::mark_plain(std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const std::uint64_t stop = std::min(end, (begin / kPage + 1) * kPage);
    Page& here = page(begin / kPage);
    if (stop - begin == kPage) {
      here.all_plain = true;
    } else if (!here.all_plain) {
      mark(begin, stop, &Page::plain);
    }
    begin = stop;
  }
}

void MemoryMap::touch(std::uint64_t begin, std::uint64_t end, std::uint32_t thread) {
  for (std::uint64_t at = begin; at < end; at = (at / 64 + 1) * 64) page(at / kPage).touch(at % kPage / 64, thread);
}

bool MemoryMap::any_plain(std::uint64_t begin, std::uint64_t end) const {
  for (; begin < end; ++begin) {
    const auto found = pages_.find(begin / kPage);
    if (found == pages_.end()) continue;
    if (found->second->all_plain || bit(found->second->plain, static_cast<std::uint32_t>(begin % kPage))) return true;
  }
  return false;
}

void MemoryMap::cut_to_widths() {
  for (auto& [number, page] : pages_) {
    if (!page->cuts) continue;
    for (std::uint32_t at = 0; at < kPage;) {
      std::uint32_t next = page->next_cut(at + 1);
      const std::uint32_t bytes = next - at;
      if (bytes < 8 && !std::has_single_bit(bytes)) {
        next = at + std::bit_floor(bytes);
        page->cuts->bits[next / 64] |= std::uint64_t{1} << (next % 64);
      }
      at = next;
    }
  }
}

void MemoryMap::seal() {
  for (auto& [number, page] : pages_) {
    std::uint16_t count = 0;
    if (page->cuts) {
      for (std::size_t word = 0; word < page->cuts->bits.size(); ++word) {
        page->cuts->before[word] = count;
        count = static_cast<std::uint16_t>(count + std::popcount(page->cuts->bits[word]));
      }
    }
    page->pieces.resize(page->cuts ? count : 1);
  }
}

void MemoryMap::forget_lives() {
  for (auto& [number, page] : pages_) std::ranges::fill(page->pieces, Piece{});
}

}  // namespace omen::recording
