/// \file
/// The slow path, line by line: lock the line; unpack its words or its detail into entries; order the thread after the
/// sections that rule (a) names; judge; update the history; pack it into words or store it as a detail; unlock. Only
/// this file asks what is ordered, and counts the rules of the papers.
///
/// Histories stay short by one rule: an earlier access e gives way to the current access a if a conflicts with
/// everything that e conflicts with (`covers`), and
/// - e is settled: a thread that is ordered after a is fully ordered after e;
/// - or the two race, which is reported here: after a race the history is not exact, as in all epoch-based detectors;
/// - or both are of one thread, and its own sections are known to it (SectionOrder::must_keep_own).
/// If e is only ordered, it is *displaced*: it races with nobody that a does not race with, but its sections may yet
/// have to order others. A displaced access is dropped when an access that covers it has it settled, or when a later
/// one of its thread was in all its sections. SmartTrack keeps sections for that, its ancillary metadata; here the
/// epoch is kept, by which they are found.
///
/// All conflicting sections are learned before the first race is judged: otherwise an access could be judged before the
/// section that orders it is known.
#include <algorithm>

#include "capture/runtime/detector/fast_path.hpp"
#include "capture/runtime/detector/line_access.hpp"
#include "capture/runtime/detector/reports.hpp"

namespace omen::rt::detect {

constinit uptr line_regions[kRegions] = {};
constinit ThreadReads thread_reads;
constinit SplitLines split_lines;
constinit bool bounds_are_strict = true;
__thread u8 shared_sites[kSharedSites] __attribute__((tls_model("initial-exec"))) = {};

/// Ranges of at least this length write empty lines without their locks. A shorter access may be the first one of two
/// threads at the same time, and one of them would be lost.
constexpr u64 kNewRange = 8 * kLineSize;

/// Displaced accesses to one line that are kept apart.
constexpr std::size_t kMostDisplaced = 48;

void Shadow::forget_all() {
  map_.forget_all();
  details_.forget_all();
  thread_reads.forget_all();
  split_lines.forget_all();
}

u64 Shadow::line_bytes() const {
  return map_.bytes() + split_lines.bytes();
}

void Shadow::log(ThreadState* thread, DetectorThread& t) const {
  CurrentAccess& current = t.current;
  if (current.logged) return;
  current.logged = true;
  current.where = recorder.place_at(thread, current.pc);
  for (u64 done = 0; done < current.bytes; done += AccessLog::kLongest) {
    const u64 part = current.bytes - done < AccessLog::kLongest ? current.bytes - done : AccessLog::kLongest;
    t.log->add(current.address + done, part, current.what, current.where, t.now.time());
  }
}

void Shadow::add_word(const DetectorThread& t, History& history, const LineWord& word, AccessKind kind, ByteSet bytes) {
  if (word.epoch.is_none()) return;
  history.add(word.epoch.as(kind), word.bytes & bytes);
  history.add(bound_for(t, word).as(kind).as_bound(), word.bounded_only() & bytes);
}

/// Turns the words' accesses to these bytes into entries. The detail has none of the bytes.
void Shadow::unpack(const LineAccess& access, History& history, ByteSet bytes) const {
  if (bytes.is_empty()) return;
  if (access.line.is_split()) return unpack_groups(access, history, bytes);
  add_word(access.t, history, access.written, AccessKind::Write, bytes);
  if (access.read.epoch.is_shared()) return unpack_readers(access, history, bytes);
  add_word(access.t, history, access.read, AccessKind::Read, bytes);
}

/// What the readers' tables have of these bytes. A plain read conflicts with none of it and leaves it where it is: only
/// the thread's own reads matter to it.
void Shadow::unpack_readers(const LineAccess& access, History& history, ByteSet bytes) const {
  const Word readers = access.line.read.epoch();
  const Slot own = access.t.slot;
  if (!leaves_readers(access)) {
    for_each_reader(readers, access.base, [&](Slot, const ReadWord&, const LineWord& word) {
      add_word(access.t, history, word, AccessKind::Read, bytes);
    });
  } else if (const ReadWord* const mine = thread_reads.find(own, access.base);
             mine != nullptr && ReaderSet(readers).may_have(own)) {
    add_word(access.t, history, mine->load(), AccessKind::Read, bytes);
  }
}

bool Shadow::leaves_readers(const LineAccess& access) const {
  return access.kind == AccessKind::Read && !counts_ && !access.line.detailed().meets(access.wanted);
}

/// The reads of others that a plain read has left in their tables.
void Shadow::unpack_other_readers(const LineAccess& access, History& history) const {
  const Word readers = access.line.read.epoch();
  if (!leaves_readers(access) || !readers.is_shared()) return;
  ByteSet bytes = access.groups - access.line.detailed();
  if (access.line.is_split()) bytes &= shared_groups(split_lines.of(access.base), bytes);
  for_each_reader(readers, access.base, [&](Slot slot, const ReadWord&, const LineWord& word) {
    if (slot != access.t.slot) add_word(access.t, history, word, AccessKind::Read, bytes);
  });
}

/// Does the access depend on the epoch behind this bound?
bool Shadow::must_resolve(LineAccess& access, Word word) const {
  DetectorThread& t = access.t;
  if (!word.is_bound() || t.is_settled(word)) return false;
  if (t.is_own(word.plain())) return order_.must_keep_own(t, word);
  return conflict(access.kind, word.kind()) && order_.order_of(t, word) != Ordered::Settled;
}

/// Bounds of the wanted bytes become epochs where the access has to know.
void Shadow::resolve_bounds(LineAccess& access) const {
  DetectorThread& t = access.t;
  History& history = access.history();
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Word word = history[i].word;
    const ByteSet bytes = history[i].bytes & access.wanted;
    if (bytes.is_empty() || !must_resolve(access, word)) continue;
    history[i].bytes -= bytes;
    BehindBounds behind;
    find_bounds(t, word, access.base, bytes, is_write(word.kind()), behind);
    for (const auto& [found, of] : behind) {
      access.resolved |= is_write(word.kind()) && !found.is_none() && !found.is_bound();
      // What is lost is settled for the thread now, whatever it was; others may have to ask.
      const Word known = found.is_none()    ? word
                         : found.is_bound() ? found.as(word.kind()).as_bound()
                                            : found.as(word.kind());
      history.add(known, of);
    }
  }
}

/// Rule (a), then the races.
void Shadow::learn_and_judge(LineAccess& access) const {
  DetectorThread& t = access.t;
  const auto is_met = [&](const Entry& entry) {
    return entry.bytes.meets(access.wanted) && !t.is_own(entry.word.plain()) &&
           conflict(access.kind, entry.word.kind());
  };
  ByteSet met_before;  // what the thread has accessed since it was last written, in a way that has met that write
  for (const Entry& entry : access.history()) {
    if (is_met(entry) && order_.learn(t, entry.word)) ++t.counts.analysed;
    if (t.is_own(entry.word.plain()) && !entry.word.is_displaced() &&
        (is_atomic(access.kind) || entry.word.kind() == AccessKind::Read)) {
      met_before |= entry.bytes;
    }
  }
  for (const Entry& entry : access.history()) {
    // That the access is settled, the fast path knows from now on.
    if (!is_met(entry) || entry.word.is_displaced() || order_.order_of(t, entry.word) != Ordered::Unordered) continue;
    ByteSet bytes = entry.bytes & access.wanted;
    // What raced with a write has been told, and is not told again until the next write.
    if (entry.word.kind() == AccessKind::Write) bytes -= met_before;
    if (!bytes.is_empty()) t.races.push_back({entry.word, access.base, bytes});
  }
}

bool Shadow::is_all_settled(LineAccess& access) const {
  for (const Entry& entry : access.history()) {
    if (!entry.bytes.meets(access.wanted) || access.t.is_own(entry.word.plain()) ||
        !conflict(access.kind, entry.word.kind())) {
      continue;
    }
    if (order_.order_of(access.t, entry.word) != Ordered::Settled) return false;
  }
  return true;
}

/// The bytes that the thread has accessed before in this way, in its epoch.
ByteSet Shadow::repeated(const LineAccess& access) {
  ByteSet known;
  for (const Entry& entry : access.history()) {
    if (entry.word.plain() == access.t.now && !entry.word.is_bound() && !entry.word.is_displaced() &&
        covers(entry.word.kind(), access.kind) && is_atomic(entry.word.kind()) == is_atomic(access.kind)) {
      known |= entry.bytes;
    }
  }
  return known;
}

/// The sections of an earlier access may yet have to order others.
void Shadow::displace(LineAccess& access, Word word, ByteSet bytes) const {
  History& history = access.history();
  // A merged one of its thread stands for it too, from now on: what was too much once would soon be so again.
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Word merged = history[i].word;
    const ByteSet part = history[i].bytes & bytes;
    if (!merged.is_merged() || merged.slot() != word.slot() || !covers(merged.kind(), word.kind()) || part.is_empty()) {
      continue;
    }
    bytes -= part;
    if (word.time() <= merged.time()) continue;
    history[i].bytes -= part;
    history.add(word.plain().as(merged.kind()).as_merged(), part);
  }
  for (Entry& other : history) {
    if (!other.word.is_displaced() || !other.bytes.meets(bytes) || other.word == word) continue;
    if (order_.supersedes(access.t, other.word, word)) bytes -= other.bytes;
    if (order_.supersedes(access.t, word, other.word)) other.bytes -= bytes;
  }
  history.add(word.as_displaced(), bytes);
}

void Shadow::update(LineAccess& access) const {
  DetectorThread& t = access.t;
  History& history = access.history();
  const std::size_t size = history.size();
  std::size_t displaced = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Word word = history[i].word;
    const ByteSet bytes = history[i].bytes & access.wanted;
    if (bytes.is_empty() || !covers(access.kind, word.kind())) continue;
    const bool own = t.is_own(word.plain());
    const Ordered order = own ? Ordered::Ordered : order_.order_of(t, word);
    if (order == Ordered::Unordered && !conflict(access.kind, word.kind())) continue;
    const bool keep = own ? order_.must_keep_own(t, word) : order == Ordered::Ordered;
    if (keep && word.is_displaced()) {
      ++displaced;
      continue;
    }
    history[i].bytes -= bytes;
    if (keep) displace(access, word, bytes);
    displaced += keep;
  }
  history.add(access.now(), access.wanted);
  history.remove_empty();
  if (OMEN_UNLIKELY(displaced > kMostDisplaced)) merge_displaced(access);
}

/// Those of one thread become one, which stands for all that it did up to the last of them, in any of its sections. It
/// is more order than there is, between sections on one lock that happened one after the other anyway.
OMEN_NOINLINE void Shadow::merge_displaced(LineAccess& access) const {
  History& history = access.history();
  const std::size_t size = history.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (!history[i].word.is_displaced() || history[i].bytes.is_empty()) continue;
    Word latest = history[i].word;
    ByteSet bytes = history[i].bytes;
    bool wrote = is_write(latest.kind());
    bool atomic = is_atomic(latest.kind());
    std::size_t count = 1;
    for (std::size_t j = i + 1; j < size; ++j) {
      Entry& other = history[j];
      if (!other.word.is_displaced() || other.word.slot() != latest.slot() || other.bytes.is_empty()) continue;
      if (other.word.time() > latest.time()) latest = other.word;
      bytes |= other.bytes;
      wrote |= is_write(other.word.kind());
      atomic &= is_atomic(other.word.kind());
      ++count;
    }
    if (count == 1) continue;
    for (std::size_t j = i; j < size; ++j) {
      if (history[j].word.is_displaced() && history[j].word.slot() == latest.slot()) history[j].bytes = {};
    }
    const AccessKind kind = wrote ? (atomic ? AccessKind::AtomicWrite : AccessKind::Write)
                                  : (atomic ? AccessKind::AtomicRead : AccessKind::Read);
    history.add(latest.plain().as(kind).as_merged(), bytes);
  }
  history.remove_empty();
}

void Shadow::count_rule(const LineAccess& access) const {
  const DetectorThread& t = access.t;
  bool own_last = false;
  bool own_read = false;
  Time last = 0;
  u64 readers = 0;
  for (const Entry& entry : access.history()) {
    if (!entry.bytes.meets(access.wanted) || entry.word.is_displaced()) continue;
    const bool own = t.is_own(entry.word.plain());
    if (!is_write(entry.word.kind())) {
      ++readers;
      own_read |= own;
    }
    if (own && entry.word.time() >= last) {
      own_last = true;
      last = entry.word.time();
    }
  }
  const bool write = is_write(access.kind);
  Rule rule = write ? Rule::WriteExclusive : Rule::ReadExclusive;
  if (readers > 1 || (!write && readers == 1 && !own_read)) {
    rule = write         ? Rule::WriteShared
           : own_read    ? Rule::ReadSharedOwned
           : readers > 1 ? Rule::ReadShared
                         : Rule::ReadShare;
  } else if (own_last) {
    rule = write ? Rule::WriteOwned : Rule::ReadOwned;
  }
  access.t.counts.rules.count(rule);
  access.t.counts.rules.count_held(t.held_count);
}

/// May an earlier access become a bounded one of the thread's epoch?
bool Shadow::may_be_bounded(LineAccess& access, Word word) const {
  if (access.t.is_settled(word)) return true;
  return access.t.is_own(word.plain()) ? !order_.must_keep_own(access.t, word)
                                       : order_.order_of(access.t, word) == Ordered::Settled;
}

/// Back into words, after a plain access. False: it does not fit.
bool Shadow::pack(LineAccess& access) {
  for (const Entry& entry : access.history()) {
    if (entry.word.is_displaced()) return false;
  }
  if (!access.line.is_split()) {
    const bool write = is_write(access.kind);
    // Neighbours are read by several threads, and nobody but the writer uses what is written.
    if (write && access.read.epoch.is_shared() && !access.had_reads && pack_groups(access)) return true;
    if (write ? pack_write(access) : pack_read(access)) return true;
    map_.set_contended(access.base);
  }
  return pack_groups(access);
}

bool Shadow::pack_write(LineAccess& access) const {
  DetectorThread& t = access.t;
  const LineWord& written = access.written;
  const bool leaves_bounds = written.epoch != t.now && !(written.touched() - access.wanted).is_empty();
  if (leaves_bounds &&
      (!may_be_bounded(access, written.epoch) || (!t.is_own(written.epoch) && map_.is_contended(access.base)))) {
    return false;
  }
  if (leaves_bounds) log_replaced(t, access.base, written, access.wanted, true);
  if (!access.read.epoch.is_shared()) {
    access.line.store_read(without_bytes(access.read, access.wanted));
  } else {
    bool any = false;
    for_each_reader(access.read.epoch, access.base, [&](Slot, ReadWord& place, const LineWord& word) {
      const LineWord rest = without_bytes(word, access.wanted);
      if (rest != word) place.store(rest);
      any |= !rest.epoch.is_none();
    });
    if (!any) access.line.store_read({});
  }
  access.line.store_write(with_access(written, t.now, access.wanted));
  return true;
}

bool Shadow::pack_read(LineAccess& access) {
  DetectorThread& t = access.t;
  if (access.resolved) return false;  // its write has another epoch than its neighbours' have
  const LineWord& read = access.read;
  if (!read.epoch.is_shared()) {
    const ByteSet left = read.touched() - access.wanted;
    const bool replaces = !t.is_own(read.epoch) && !left.is_empty();
    if (read.epoch.is_none() || read.epoch == t.now ||
        (may_be_bounded(access, read.epoch) && !(replaces && map_.is_contended(access.base)))) {
      if (replaces) log_replaced(t, access.base, read, access.wanted, false);
      access.line.store_read(with_access(read, t.now, access.wanted));
      return true;
    }
    if (t.is_own(read.epoch)) return false;
  }
  ReadWord* const mine = thread_reads.at(t.slot, access.base);
  if (mine == nullptr) return false;
  ReaderSet readers;
  LineWord earlier;
  if (read.epoch.is_shared()) {
    readers = ReaderSet(read.epoch);
    if (readers.may_have(t.slot)) earlier = without_bytes(mine->load(), access.line.detailed());
    if (!earlier.epoch.is_none() && earlier.epoch != t.now && !may_be_bounded(access, earlier.epoch)) return false;
  } else {
    ReadWord* const theirs = thread_reads.at(read.epoch.slot(), access.base);
    if (theirs == nullptr) return false;
    theirs->store(read);
    readers.add(read.epoch.slot());
    map_.note_references(access.base);
  }
  mine->store(with_access(earlier, t.now, access.wanted));
  readers.add(t.slot);
  access.line.store_read({readers.word(), {}, {}});
  return true;
}

/// The entries of the history are those of the detail from now on, and of the whole groups of the wanted bytes. The
/// line words have nothing of these.
void Shadow::put_into_detail(LineAccess& access) {
  ShadowLine& line = access.line;
  const ByteSet moved = access.groups - line.detailed();
  if (!moved.is_empty()) {
    map_.note_references(access.base);
    line.store_write(without_bytes(line.load_write(), moved));
    const LineWord read = line.load_read();
    if (!read.epoch.is_shared()) {
      line.store_read(without_bytes(read, moved));
    } else {
      bool any = false;
      for_each_reader(read.epoch, access.base, [&](Slot, ReadWord& place, const LineWord& word) {
        const LineWord rest = without_bytes(word, moved);
        if (rest != word) place.store(rest);
        any |= !rest.epoch.is_none();
      });
      if (!any) line.store_read({});
    }
    if (line.is_split()) clear_groups(split_lines.of(access.base), moved);
    line.set_detailed(line.detailed() | moved);
  }
  line.set_detail(details_.store(line.detail(), access.history(), access.t.slot));
}

/// Where the line words say nothing else, they say that the thread has made this access in its epoch: see
/// shadow_line.hpp. What they said so of others no longer holds once the bytes are written.
void Shadow::hint(LineAccess& access) const {
  if (recorder.recording()) return;
  ShadowLine& line = access.line;
  const ByteSet detailed = line.detailed();
  const bool write = is_write(access.kind);
  if (write) {
    const LineWord written = line.load_write();
    const LineWord read = line.load_read();
    const ByteSet gone = access.wanted & detailed;
    if (written.touched().meets(gone)) line.store_write(without_bytes(written, gone));
    if (!read.epoch.is_shared() && read.touched().meets(gone)) line.store_read(without_bytes(read, gone));
  }
  if (is_atomic(access.kind)) return;
  const LineWord word = write ? line.load_write() : line.load_read();
  if (word.epoch.is_shared()) return;
  if (word.epoch != access.t.now && !(word.touched() - detailed).is_empty()) return;
  const LineWord next = with_access(word.epoch == access.t.now ? word : LineWord{}, access.t.now, access.wanted);
  write ? line.store_write(next) : line.store_read(next);
}

/// As far as the words tell.
bool Shadow::is_same_epoch(DetectorThread& t, const ShadowLine& line, ByteSet wanted, AccessKind kind) {
  if (is_atomic(kind)) return false;  // the words have plain accesses
  return is_write(kind) ? is_repeated<true>(line, t.now, wanted) : is_repeated<false>(line, t.now, wanted);
}

bool Shadow::access_line(ThreadState* thread, uptr base, ByteSet wanted, AccessKind kind, If when) {
  DetectorThread& t = *thread->detector;
  ShadowLine* const line = map_.at(base);
  if (OMEN_UNLIKELY(line == nullptr)) return true;
  if (is_same_epoch(t, *line, wanted, kind)) {
    if (OMEN_UNLIKELY(counts_)) t.counts.rules.count(is_write(kind) ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
    return true;
  }
  if (line->is_empty()) map_.prepare(base);
  line->lock();
  // A line that is recorded too is in the order of its record.
  if (OMEN_UNLIKELY(recorder.recording())) {
    wanted.for_each_run([&](u32 offset, u32 length) {
      recorder.record_in_order(thread, base, ByteSet::run(offset, length).bits(), t.current.what, t.current.pc);
    });
  }
  const ByteSet detailed = line->detailed();
  LineAccess access{t, *line, base, wanted, kind, wanted.whole_granules(), {}, {}};
  if (!line->is_split()) {
    access.written = without_bytes(line->load_write(), detailed);
    access.read = line->load_read();
    if (!access.read.epoch.is_shared()) {
      access.read = live_read(access.written, without_bytes(access.read, detailed));
    }
  }
  History& history = t.history;
  history.clear();
  unpack(access, history, access.groups - detailed);
  access.had_reads =
      std::any_of(history.begin(), history.end(), [](const Entry& entry) { return !is_write(entry.word.kind()); });
  const bool in_detail = is_atomic(kind) || detailed.meets(wanted);
  if (!in_detail && split_at_bounds(access)) {
    history.clear();
    unpack(access, history, access.groups - detailed);
  }
  if (in_detail) details_.load(line->detail(), history);
  access.wanted -= repeated(access);
  if (access.wanted.is_empty()) {
    line->unlock();
    if (OMEN_UNLIKELY(counts_)) t.counts.rules.count(is_write(kind) ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
    return true;
  }
  if (when == If::Settled && !is_all_settled(access)) {
    line->unlock();
    return false;
  }
  log(thread, t);
  resolve_bounds(access);
  learn_and_judge(access);
  if (OMEN_UNLIKELY(counts_)) count_rule(access);
  update(access);
  if (in_detail || !pack(access)) {
    if (!in_detail) {
      map_.set_contended(base);
      unpack_other_readers(access, history);
      details_.load(line->detail(), history);
    }
    put_into_detail(access);
    hint(access);
  }
  line->unlock();
  if (OMEN_UNLIKELY(thread->thread_reads == nullptr)) set_thread_reads(thread, thread_reads.table(t.slot));
  if (OMEN_UNLIKELY(!t.races.empty())) reports_->report(t);
  return true;
}

void Shadow::access(ThreadState* thread, uptr address, u64 bytes, LogKind what, uptr pc) {
  const Busy busy(thread);
  DetectorThread& t = *thread->detector;
  t.current = {address, bytes, what, pc};
  const bool write = what != LogKind::Read;
  const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
  const bool quickly = thread->look_closer == 0;
  const uptr end = address + bytes;
  for (uptr base = address & ~(kLineSize - 1); base < end; base += kLineSize) {
    const ByteSet wanted = ByteSet::within(base, address, end);
    if (quickly) {
      ShadowLine* const line = map_.at(base);
      if (line == nullptr) return;
      if (line->is_empty() && bytes >= kNewRange) {
        // Long ranges touch much that is new: nobody else is expected there.
        map_.prepare(base);
        log(thread, t);
        write ? line->store_write({t.now, wanted, {}}) : line->store_read({t.now, wanted, {}});
        continue;
      }
      const auto logged = [&] { return log(thread, t), true; };
      const Fast done = write ? access_fast<true>(thread, *line, base, wanted, pc, *this, logged)
                              : access_fast<false>(thread, *line, base, wanted, pc, *this, logged);
      if (OMEN_LIKELY(done == Fast::Done)) continue;
    }
    access_line(thread, base, wanted, kind, If::Always);
  }
}

void Shadow::access_bytes(ThreadState* thread, uptr line, ByteSet wanted, bool write, uptr pc) {
  const Busy busy(thread);
  DetectorThread& t = *thread->detector;
  const uptr first = line + wanted.first();
  const u64 bytes = wanted.last() - wanted.first() + 1;
  t.current = {first, bytes, write ? LogKind::Write : LogKind::Read, pc};
  if (wanted != ByteSet::run(wanted.first(), bytes)) {  // each run has its own record
    t.current.logged = true;
    t.current.where = recorder.place_at(thread, pc);
    wanted.for_each_run([&](u32 offset, u32 length) {
      t.log->add(line + offset, length, t.current.what, t.current.where, t.now.time());
    });
  }
  access_line(thread, line, wanted, write ? AccessKind::Write : AccessKind::Read, If::Always);
}

void Shadow::access_atomically(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  DetectorThread& t = *thread->detector;
  t.current = {address, bytes, write ? LogKind::AtomicWrite : LogKind::AtomicRead, pc};
  const uptr end = address + bytes;
  for (uptr base = address & ~(kLineSize - 1); base < end; base += kLineSize) {
    access_line(thread, base, ByteSet::within(base, address, end),
                write ? AccessKind::AtomicWrite : AccessKind::AtomicRead, If::Always);
  }
}

bool Shadow::access_atomically_if_settled(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (address % kLineSize + bytes > kLineSize || recorder.recording()) return false;
  DetectorThread& t = *thread->detector;
  t.current = {address, bytes, write ? LogKind::AtomicWrite : LogKind::AtomicRead, pc};
  return access_line(thread, address & ~(kLineSize - 1), ByteSet::run(address % kLineSize, bytes),
                     write ? AccessKind::AtomicWrite : AccessKind::AtomicRead, If::Settled);
}

/// Atomic accesses are in details, and a lock is taken often, in ever new epochs. So where the memory is nothing but a
/// lock its taking is a plain read to the shadow, and an atomic one in the log, which reports go by.
void Shadow::read_lock(ThreadState* thread, uptr address, uptr pc) {
  DetectorThread& t = *thread->detector;
  const uptr base = address & ~(kLineSize - 1);
  const ByteSet wanted = ByteSet::run(address % kLineSize, 1);
  ShadowLine* const line = map_.at(address);
  if (line == nullptr) return;
  const bool plain = !recorder.recording() && !line->detailed().meets(wanted);
  t.current = {address, 1, plain ? LogKind::LockRead : LogKind::AtomicRead, pc};
  if (plain && !counts_) {
    const auto logged = [&] { return log(thread, t), true; };
    if (access_fast<false>(thread, *line, base, wanted, pc, *this, logged) == Fast::Done) return;
  }
  access_line(thread, base, wanted, plain ? AccessKind::Read : AccessKind::AtomicRead, If::Always);
}

}  // namespace omen::rt::detect
