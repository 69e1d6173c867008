/// \file
/// Bounds that the accessing thread has not settled: the epochs behind them are looked up in the threads' logs.
///
/// The latest record of the bound's thread that touches the byte is either the access itself, or says which word of
/// another thread gave way to the bound. If it has been overwritten nobody can tell whether the two accesses race. Then
/// they are taken for ordered: the thread learns what the bound's thread knows, which includes all that an order
/// between the two accesses could have brought. Races may be missed thereby; none is made up.
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/shadow.hpp"

namespace omen::rt::detect {
namespace {

/// A write may stand among the reads, as its thread's last access; so may the taking of a lock.
bool is_access(LogKind what, bool write) {
  return what == LogKind::Write || what == LogKind::VptrWrite || what == LogKind::Free ||
         (!write && (what == LogKind::Read || what == LogKind::LockRead));
}

/// Records that a thread may look at in its searches: some to begin with, and a few for each access.
constexpr u64 kFirstSearches = u64{1} << 25;
constexpr u64 kSearchesPerAccess = 16;

}  // namespace

/// The access behind a bound; or a bound that is settled: all records of the thread that are not settled say nothing of
/// the byte. None: the log does not go back so far, and the thread is ordered after all that the other one has done.
Word Shadow::find_bound(DetectorThread& t, Word bound, uptr address, bool write) const {
  const uptr base = address & ~(kLineSize - 1);
  const LogKind replaced = write ? LogKind::ReplacedWrite : LogKind::ReplacedRead;
  const auto lost = [&] {
    bounds_lost_.fetch_add(1, std::memory_order_relaxed);
    detector.order_after_all_of(t, bound.slot());
    return Word();
  };
  while (bound.is_bound()) {
    if (t.searched > kFirstSearches + kSearchesPerAccess * t.accesses()) return lost();
    const ThreadSlot& slot = slots_[bound.slot()];
    const Time settled = bound.slot() < t.settled_count ? t.settled[bound.slot()] : 0;
    if (bound.time() <= settled) return bound;
    const u64 settled_records = slot.records_after(settled);
    const u64 from = settled_records == ThreadSlot::kUnknown ? 0 : settled_records;
    const auto may_touch = [&](uptr begin) {
      ++t.searched;
      return address - begin <= AccessLog::kLongest;
    };
    const auto touches = [&](const AccessLog::Entry& entry, u64) {
      if (entry.what() == replaced) {
        if (entry.address() != base || !entry.replaced_bytes().has(address - base)) return false;
        bound = entry.replaced_word();
        return true;
      }
      if (!is_access(entry.what(), write) || !entry.covers(address) || entry.time() > bound.time()) return false;
      bound = Word::of(bound.slot(), entry.time());
      return true;
    };
    if (slot.log.any_before(slot.records_until(bound.time()), from, may_touch, touches)) continue;
    if (settled == 0 || settled_records == ThreadSlot::kUnknown || !slot.log.has_all_from(from)) return lost();
    return Word::of(bound.slot(), settled).as_bound();
  }
  bounds_found_.fetch_add(1, std::memory_order_relaxed);
  return bound;
}

}  // namespace omen::rt::detect
