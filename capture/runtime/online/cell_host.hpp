/// \file
/// The running program as a level's host: a variable is a group of bytes of one cell that share their state, taken out
/// of the cell while its lock is held.
#pragma once

#include <span>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/access_words.hpp"
#include "analysis/levels/ancillary.hpp"
#include "analysis/race.hpp"
#include "capture/runtime/online/read_vectors.hpp"
#include "capture/runtime/online/split_cells.hpp"
#include "capture/runtime/online/thread_slots.hpp"

namespace omen::rt::online {

struct OnlineVariable {
  AccessWords words;
  u32 ancillary = 0;                 ///< the number of its list in `AncillaryLists`; 0: none
  u32 list_kind = 0;                 ///< after an access: what SplitCell has with the number
  u64 list_locks = 0;                ///< and of which locks the sections are, of this list and of the cell's others
  u32 other_lists[kCellBytes] = {};  ///< the numbers of those
  bool read_bound = false;           ///< of the last access only a bound is known (cell.hpp)
};

extern ReadVectors read_vectors;
bool is_hazard(ReadVectors::Number number);
u32 slots_in_use();
/// When it was: orders those of different threads. 0: it is long ago.
u64 begin_of_epoch(Epoch epoch);

/// The history of the one variable at hand: some bytes of a cell. Where an access stands is found in its thread's log:
/// a site's location is the local time. A vector is the whole cell's; `bytes` says which reads in it concern the
/// variable. Vectors are taken here and given back by whoever puts the states into the cell again.
class CellHistory {
 public:
  u64 bytes = 0;     ///< of the variable
  Time settled = 0;  ///< the accessing thread's own reads up to this time are settled

  AccessWords& words(OnlineVariable* x) { return x->words; }
  Site read_site(OnlineVariable* /*x*/, const AccessWords& words) const { return site_of(words.read); }

  Time shared_time(const AccessWords& words, ThreadId t) const {
    const ReadSlot* const slot = read_vectors.find(words.read.time, static_cast<u32>(t));
    return slot == nullptr ? 0 : slot->time_of_all(bytes);
  }
  void set_shared_read(AccessWords& words, Epoch now, Site /*site*/) { add_read(words, now); }
  bool shared_is_within(const AccessWords& words, std::span<const Time> bounds) const {
    bool all = true;
    for_each_shared(words, [&](Epoch read, const Site&) {
      all &= index(read.thread) < bounds.size() && read.time <= bounds[index(read.thread)];
    });
    return all;
  }
  template <class Visit>
  void for_each_shared(const AccessWords& words, Visit visit) const {
    read_vectors.for_each(words.read.time, [&](u32 slot, const ReadSlot& reads) {
      const Epoch read{reads.time_of_any(bytes), ThreadId{slot}};
      if (read.time != 0) visit(read, Site{EventIndex{begin_of_epoch(read)}, LocationId{read.time}});
    });
  }

  void set_read(OnlineVariable* /*x*/, AccessWords& words, Epoch now, Site /*site*/) { words.read = now; }
  void set_write(OnlineVariable* /*x*/, AccessWords& words, Epoch now, Site /*site*/) { words = {now, now}; }

  void set_last(OnlineVariable* x, AccessWords& words, Epoch now, Site site, bool writes) {
    writes ? set_write(x, words, now, site) : set_read(x, words, now, site);
  }

  void share(OnlineVariable* x, AccessWords& words, Epoch now, Site /*site*/) {
    const Epoch earlier = words.read;
    words.read = {read_vectors.take(slots_in_use(), is_hazard), kShared};
    if (!earlier.is_none()) add_read(words, earlier, x->read_bound);
    add_read(words, now);
  }
  void unshare(AccessWords& words) {
    read_vectors.for_each(words.read.time, [&](u32, ReadSlot& reads) { reads.remove(bytes); });
    words.read = {};
  }

  template <class Reports>
  void check_write(const VectorClock& clock, OnlineVariable* /*x*/, const AccessWords& words, Reports& reporter) const {
    if (!clock.covers(words.write)) reporter.races_with(site_of(words.write), words.write.thread, /*wrote=*/true);
  }
  template <class Reports>
  void check_shared(const VectorClock& clock, const AccessWords& words, bool of_writes, Reports& reporter) const {
    for_each_shared(words, [&](Epoch last, const Site& site) {
      if (!clock.covers(last)) reporter.races_with(site, last.thread, of_writes && last == words.write);
    });
  }

 private:
  static Site site_of(Epoch epoch) { return {EventIndex{0}, LocationId{epoch.time}}; }

  /// The caller has made sure that the read fits.
  void add_read(AccessWords& words, Epoch now, bool bound = false) const {
    ReadSlot* slot = read_vectors.find(words.read.time, static_cast<u32>(now.thread));
    if (slot == nullptr) {
      const ReadVectors::Number old = words.read.time;
      words.read.time = read_vectors.take(static_cast<u32>(now.thread) + 1, is_hazard);
      read_vectors.add_all(old, words.read.time, 0xff);
      slot = read_vectors.find(words.read.time, static_cast<u32>(now.thread));
    }
    if (bound) {
      slot->add_bound(now.time, bytes);
    } else {
      slot->add(now.time, bytes, settled);
    }
  }
};

/// Ancillary sections of variables, by the number that the variable has. Guarded by the analysis lock.
class AncillaryLists {
 public:
  using Entries = Vector<AncillarySection>;

  bool has(const OnlineVariable* x) const { return x->ancillary != 0; }
  bool may_have(const OnlineVariable* x) const { return has(x); }
  LockSet locks_of(const OnlineVariable* x) const { return locks_of(x->ancillary); }
  Entries& of(const OnlineVariable* x) { return lists_[x->ancillary - 1]; }

  /// After an access of the thread: says of x's list what a split cell has of it.
  void describe(OnlineVariable* x, ThreadId thread) const {
    x->list_kind = 0;
    LockSet locks;
    for (const u32 other : x->other_lists) locks = locks | locks_of(other);
    x->list_locks = (locks | locks_of(x->ancillary)).bits();
    if (!has(x)) return;
    x->list_kind = SplitCell::kOwnList | SplitCell::kReadList;
    for (const AncillarySection& entry : lists_[x->ancillary - 1]) {
      if (entry.thread != thread) x->list_kind &= ~SplitCell::kOwnList;
      if (entry.wrote) x->list_kind &= ~SplitCell::kReadList;
    }
  }

  static void add(Entries& entries, const AncillarySection& section) { Ancillary::add(entries, section); }
  void add(OnlineVariable* x, const AncillarySection& section) {
    if (!has(x)) give_list(x);
    add(of(x), section);
  }
  void replace(OnlineVariable* x, Entries& entries) {
    if (entries.empty()) return forget(x);
    if (!has(x)) give_list(x);
    std::swap(of(x), entries);
  }
  void forget(OnlineVariable* x) {
    if (!has(x)) return;
    of(x).clear();
    free_.push_back(x->ancillary);
    x->ancillary = 0;
  }
  void clone(OnlineVariable* x) {
    if (!has(x)) return;
    const Entries entries = of(x);
    give_list(x);
    of(x) = entries;
  }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const Entries& entries : lists_) sum += entries.size();
    return sum;
  }
  template <class Visit>
  void for_each_section(Visit visit) const {
    for (const Entries& entries : lists_) {
      for (const AncillarySection& entry : entries) visit(entry.thread, entry.number);
    }
  }

 private:
  LockSet locks_of(u32 list) const {
    LockSet locks;
    if (list == 0) return locks;
    for (const AncillarySection& entry : lists_[list - 1]) locks = locks | LockSet(entry.lock);
    return locks;
  }

  void give_list(OnlineVariable* x) {
    if (free_.empty()) {
      lists_.emplace_back();
      free_.push_back(static_cast<u32>(lists_.size()));
    }
    x->ancillary = free_.back();
    free_.pop_back();
  }

  Vector<Entries> lists_;
  Vector<u32> free_;
};

struct OnlineRacyAccess {
  Site site;
  ThreadId thread{};
  OnlineVariable* variable = nullptr;
  bool wrote = false;
};

/// Takes the races of one access; `doing` is set before the access.
struct RaceReceiver {
  OnlineThread* doing = nullptr;
  void race(const OnlineRacyAccess& access, const Vector<PriorAccess>& priors);
};

struct CellHost {
  using Variable = OnlineVariable*;
  using Sink = RaceReceiver;
  using History = CellHistory;
  using Ancillary = AncillaryLists;
  /// Happens-before needs no sections; locks are the engine's part.
  template <class Relation>
  struct Sections {
    Sections(Relation&, const Tuning&) {}
    std::size_t held_count(ThreadId) const { return 0; }
    void access(ThreadId, OnlineVariable*, bool) {}
    void begin_life(OnlineVariable*) {}
  };
  static constexpr bool kForgetsSections = true;
  static constexpr bool kReadsUnshare = false;
};

}  // namespace omen::rt::online
