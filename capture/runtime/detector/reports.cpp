#include "capture/runtime/detector/reports.hpp"

#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::detect {

namespace word = online_log::word;
using online_log::Side;
using online_log::word_for;

namespace {

online_log::AccessKind kind_of(LogKind what) {
  using online_log::AccessKind;
  switch (what) {
    case LogKind::Read:
      return AccessKind::Read;
    case LogKind::VptrWrite:
      return AccessKind::Vptr;
    case LogKind::Free:
      return AccessKind::Free;
    case LogKind::AtomicRead:
    case LogKind::LockRead:
      return AccessKind::AtomicRead;
    case LogKind::AtomicWrite:
      return AccessKind::AtomicWrite;
    default:
      return AccessKind::Write;
  }
}

bool is_write(LogKind what) {
  return what == LogKind::Write || what == LogKind::VptrWrite || what == LogKind::Free || what == LogKind::AtomicWrite;
}
bool is_read(LogKind what) {
  return what == LogKind::Read || what == LogKind::AtomicRead || what == LogKind::LockRead;
}

/// The racing bytes whose memory has begun no new life since, as far as the earlier thread's log tells.
class LivingBytes {
 public:
  explicit LivingBytes(const RacingAccess& race) : line_(race.line), bytes_(race.bytes) {}
  void renew(const AccessLog::Entry& entry) { bytes_ -= part_of(entry); }
  bool meet(const AccessLog::Entry& entry) const { return bytes_.meets(part_of(entry)); }

 private:
  ByteSet part_of(const AccessLog::Entry& entry) const {
    const uptr begin = entry.address() > line_ ? entry.address() : line_;
    const uptr end = entry.address() + entry.bytes();
    return begin < end && begin < line_ + kLineSize ? ByteSet::within(line_, begin, end) : ByteSet();
  }

  uptr line_;
  ByteSet bytes_;
};

}  // namespace

ReportedPairs::Pair* ReportedPairs::find(uptr now, uptr earlier) {
  std::size_t at = ((now * 31 + earlier) * 0x9E3779B97F4A7C15ULL) >> 52;
  for (std::size_t n = 0; n < kMost; ++n, at = (at + 1) % kMost) {
    Pair& pair = pairs_[at];
    if (pair.count == 0) pair = {now, earlier, 0, 0};
    if (pair.now == now && pair.earlier == earlier) return &pair;
  }
  return nullptr;
}

void Reports::start(MessageLog& log, ThreadSlot* slots, const std::atomic<Slot>& slot_count, bool predicts) {
  log_ = &log;
  slots_ = slots;
  slot_count_ = &slot_count;
  predicts_ = predicts;
}

/// With prediction only the latest of several earlier accesses is certain: those before it may only seem to race, since
/// a thread that has accessed the memory again has lost the sections of its earlier access.
void Reports::report(DetectorThread& t) {
  if (predicts_ && t.races.size() > 1) {
    const auto begin_of = [&](const RacingAccess& race) {
      return slots_[race.earlier.slot()].begin_of(race.earlier.time());
    };
    RacingAccess latest = *t.races.begin();
    for (const RacingAccess& race : t.races) {
      if (begin_of(race) > begin_of(latest)) latest = race;
    }
    t.races.clear();
    t.races.push_back(latest);
  }
  for (const RacingAccess& race : t.races) report(t, race);
  t.races.clear();
}

/// The first access of the epoch that fits; an epoch stands for the first of its accesses in the life of the memory.
Reports::EarlierAccess Reports::find_earlier(const RacingAccess& race, const CurrentAccess& now) const {
  const bool wrote = is_write(race.earlier.kind());
  const Time time = race.earlier.time();
  const auto is_atomic_kind = [](LogKind what) {
    return what == LogKind::AtomicRead || what == LogKind::AtomicWrite || what == LogKind::LockRead;
  };
  EarlierAccess found;
  LivingBytes bytes(race);
  const ThreadSlot& slot = slots_[race.earlier.slot()];
  slot.log.any_before(slot.records_until(time), [&](const AccessLog::Entry& entry, u64 position) {
    if (entry.is_replaced()) return false;
    if (entry.time() < time) return true;
    if (entry.time() != time || !bytes.meet(entry)) return false;
    if (entry.begins_life()) bytes.renew(entry);
    const LogKind what = entry.what();
    if (wrote ? !is_write(what) : !is_read(what)) return false;
    if (is_atomic_kind(what) && is_atomic_kind(now.what)) {  // two of them never race
      found.is_atomic_too = true;
      return false;
    }
    found = {entry.where(), entry.address(), entry.bytes(), what, position, found.is_atomic_too};
    return false;
  });
  return found;
}

void Reports::report_lock(Side side, const HeldLock& lock) {
  *log_ << word::kLock << " " << word_for(side) << " ";
  log_->hexadecimal(lock.address);
  if (lock.shared) *log_ << " " << word_for(online_log::LockMode::Read);
  log_->stack_at(lock.where);
}

/// The locks of an earlier access: those that its thread took and did not give back, as far as its log goes.
void Reports::report_locks_of(Slot slot, const EarlierAccess& earlier) {
  uptr closed[64];
  u32 closed_count = 0;
  slots_[slot].log.any_before(earlier.position, [&](const AccessLog::Entry& entry, u64) {
    const LogKind what = entry.what();
    if (what != LogKind::Acquire && what != LogKind::AcquireShared && what != LogKind::Release) return false;
    const uptr lock = entry.address();
    for (u32 i = 0; i < closed_count; ++i) {
      if (closed[i] == lock) return false;
    }
    if (closed_count == 64) return true;
    closed[closed_count++] = lock;
    if (what == LogKind::Release) return false;
    report_lock(Side::Earlier, {lock, entry.where(), what == LogKind::AcquireShared});
    return false;
  });
}

/// The heap block that the address lies in, if its allocation is still in somebody's log.
void Reports::report_block(uptr address) {
  for (Slot i = 0; i < slot_count_->load(std::memory_order_relaxed); ++i) {
    const AccessLog& log = slots_[i].log;
    const bool found = log.any_before(log.end(), [&](const AccessLog::Entry& entry, u64) {
      if (entry.what() != LogKind::Allocate || address < entry.address() ||
          address >= entry.address() + entry.bytes()) {
        return false;
      }
      *log_ << word::kBlock << " " << word_for(online_log::BlockKind::Heap) << " ";
      log_->hexadecimal(entry.address());
      *log_ << " " << u64{entry.bytes()} << " " << word::kThread << " " << u64{slots_[i].user_at(entry.time())};
      log_->stack_at(entry.where());
      return true;
    });
    if (found) return;
  }
}

/// The same for the program's own callback.
void Reports::tell_program(const DetectorThread& t, const RacingAccess& race, const EarlierAccess& earlier) {
  ThreadState* const thread = current_thread;
  FoundRace* const told = add_found_race(thread);
  if (told == nullptr) return;
  const CurrentAccess& current = t.current;
  const auto fill = [](FoundRace::Access& access, u32 of, LogKind what, bool write, uptr address, u64 bytes,
                       Place where) {
    access.thread = of;
    access.write = write;
    access.atomic = what == LogKind::AtomicRead || what == LogKind::AtomicWrite || what == LogKind::LockRead;
    access.address = address;
    access.bytes = bytes;
    if (where.pc == 0) return;
    access.stack[0] = where.pc;
    access.places = 1 + recorder.unwind(where.frame, access.stack + 1, 127);
  };
  const bool lost = earlier.what == LogKind::Nothing;
  fill(told->accesses[0], t.id, current.what, is_write(current.what), current.address, current.bytes, current.where);
  fill(told->accesses[1], slots_[race.earlier.slot()].user_at(race.earlier.time()), earlier.what,
       is_write(race.earlier.kind()), lost ? current.address : earlier.address, lost ? current.bytes : earlier.bytes,
       earlier.where);
  const auto is_either = [&](LogKind what) { return current.what == what || earlier.what == what; };
  told->kind = is_either(LogKind::Free)        ? "heap-use-after-free"
               : is_either(LogKind::VptrWrite) ? "data-race-vptr"
                                               : "data-race";
  thread->signals.any.store(1, std::memory_order_relaxed);
}

void Reports::report(DetectorThread& t, const RacingAccess& race) {
  const CurrentAccess& current = t.current;
  const EarlierAccess earlier = find_earlier(race, current);
  if (earlier.what == LogKind::Nothing && earlier.is_atomic_too) return;  // a lock was taken where an atomic is now
  u64 number = 0;
  {
    const SpinGuard guard(lock_);
    ReportedPairs::Pair* const pair = pairs_.find(current.pc, earlier.where.pc);
    if (pair == nullptr) {
      if (is_full_) return;
      is_full_ = true;
    } else {
      if (++pair->count > 1) return;
      number = pair->race = log_->take_race_number();
    }
  }
  MessageLog& log = *log_;
  log.begin();
  if (number == 0 && is_full_) {
    log << word::kIncomplete << " " << u64{ReportedPairs::kMost}
        << " pairs of places race: races between others are not reported\n";
    return log.end();
  }
  const bool lost = earlier.what == LogKind::Nothing;
  const bool observed = !t.happened->covers(race.earlier.epoch());
  log << word::kRace << " " << number << " "
      << word_for(observed ? online_log::Finding::Observed : online_log::Finding::Predicted) << " 1\n";
  const auto access = [&](Side side, online_log::AccessKind kind, uptr address, u64 bytes, u32 thread, Place where) {
    log << word::kAccess << " " << word_for(side) << " " << word_for(kind) << " ";
    log.hexadecimal(address);
    log << " " << bytes << " " << word::kThread << " " << u64{thread};
    log.stack_at(where);
  };
  access(Side::Now, kind_of(current.what), current.address, current.bytes, t.id, current.where);
  for (u32 i = 0; i < t.held_count; ++i) report_lock(Side::Now, t.held[i]);
  const LogKind unknown = is_write(race.earlier.kind()) ? LogKind::Write : LogKind::Read;
  access(Side::Earlier, kind_of(lost ? unknown : earlier.what), lost ? current.address : earlier.address,
         lost ? current.bytes : earlier.bytes, slots_[race.earlier.slot()].user_at(race.earlier.time()), earlier.where);
  if (!lost) report_locks_of(race.earlier.slot(), earlier);
  report_block(current.address);
  log << word::kEnd << "\n";
  log.end();
  if (log.is_reported(number) && has_race_callback()) tell_program(t, race, earlier);
}

void Reports::finish() {
  pairs_.for_each([&](const ReportedPairs::Pair& pair) {
    *log_ << word::kRepeat << " " << pair.race << " " << pair.count << "\n";
  });
}

}  // namespace omen::rt::detect
