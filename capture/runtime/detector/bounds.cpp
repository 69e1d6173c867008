/// \file
/// Resolves bounds that are not settled for the accessing thread: looks up the epochs behind them in the threads' logs.
///
/// The latest record of the bound's thread that touches the byte is either the access itself, or names the word of
/// another thread that gave way to the bound. If it has been overwritten, it is unknown whether the two accesses race.
/// Then they are taken to be ordered: the thread learns what the bound's thread knows, which includes all that an order
/// between the two accesses could have brought. So a race may be missed, and none is made up.
#include <array>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/shadow.hpp"

namespace omen::rt::detect {
namespace {

/// A write may stand among the reads, as its thread's last access; so may the taking of a lock.
bool may_be_behind(LogKind what, bool write) {
  return what == LogKind::Write || what == LogKind::VptrWrite || what == LogKind::Free ||
         (!write && (what == LogKind::Read || what == LogKind::LockRead));
}

/// Records that a thread may look at in its searches: some to begin with, and a few for each access.
constexpr u64 kFirstSearches = u64{1} << 25;
constexpr u64 kSearchesPerAccess = 16;

}  // namespace

/// Of bytes of a line that have one bound; each is
/// - the access behind the bound;
/// - or a bound that is settled: all records of the thread that are not settled say nothing of the bytes;
/// - or none: the log does not go back so far, and the thread is ordered after all that the other one has done.
/// A log is searched once for all bytes.
void Shadow::find_bounds(DetectorThread& t, Word bound, uptr base, ByteSet bytes, bool write,
                         BehindBounds& behind) const {
  const LogKind replaced = write ? LogKind::ReplacedWrite : LogKind::ReplacedRead;
  std::array<Entry, kLineSize> open;  // of different bytes, so there are no more
  std::size_t count = 0;
  const auto found = [&](Word word, ByteSet of) {
    if (of.is_empty()) return;
    if (word.is_bound()) {
      open[count++] = {word, of};
      return;
    }
    bounds_found_.fetch_add(1, std::memory_order_relaxed);
    behind.add(word, of);
  };
  found(bound.as_bound(), bytes);
  while (count != 0) {
    auto [word, left] = open[--count];
    const auto lost = [&] {
      bounds_lost_.fetch_add(1, std::memory_order_relaxed);
      detector.order_after_all_of(t, word.slot());
      behind.add(Word(), left);
    };
    if (t.searched > kFirstSearches + kSearchesPerAccess * t.accesses()) {
      lost();
      continue;
    }
    const ThreadSlot& slot = slots_[word.slot()];
    const Time settled = word.slot() < t.settled_count ? t.settled[word.slot()] : 0;
    if (word.time() <= settled) {
      behind.add(word, left);
      continue;
    }
    const u64 settled_records = slot.records_after(settled);
    const u64 from = settled_records == ThreadSlot::kUnknown ? 0 : settled_records;
    u64 searched = 0;
    const auto may_touch = [&](uptr begin) {
      ++searched;
      return base + kLineSize - 1 - begin <= AccessLog::kLongest + kLineSize;
    };
    const auto look = [&](const AccessLog::Entry& entry, u64) {
      if (entry.what() == replaced) {
        if (entry.address() != base) return false;
        const ByteSet met = left & entry.replaced_bytes();
        left -= met;
        found(entry.replaced_word(), met);
      } else if (may_be_behind(entry.what(), write) && entry.time() <= word.time()) {
        const uptr begin = entry.address();
        const uptr end = begin + entry.bytes();
        if (begin >= base + kLineSize || end <= base) return false;
        const ByteSet met = left & ByteSet::within(base, begin, end);
        left -= met;
        found(Word::of(word.slot(), entry.time()), met);
      }
      return left.is_empty();
    };
    const bool is_complete = slot.log.any_before(slot.records_until(word.time()), from, may_touch, look);
    t.searched += searched;
    if (is_complete) continue;
    if (settled == 0 || settled_records == ThreadSlot::kUnknown || !slot.log.has_all_from(from)) {
      lost();
    } else {
      behind.add(Word::of(word.slot(), settled).as_bound(), left);
    }
  }
}

}  // namespace omen::rt::detect
