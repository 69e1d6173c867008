/// \file
/// Starting, reporting races, and the last words.
#include <asm/unistd.h>
#include <cpuid.h>

#include <new>

#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/online/atomic_planes.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {
namespace {

/// The same two places make one report; how often it was seen is told at the end.
class Seen {
 public:
  struct Pair {
    uptr now;
    uptr earlier;
    u64 race;
    u64 count;
  };
  static constexpr std::size_t kMost = 4096;

  /// Null: there is no room for another.
  Pair* find(uptr now, uptr earlier) {
    std::size_t at = ((now * 31 + earlier) * 0x9E3779B97F4A7C15ULL) >> 52;
    for (std::size_t n = 0; n < kMost; ++n, at = (at + 1) % kMost) {
      Pair& pair = pairs_[at];
      if (pair.count == 0) pair = {now, earlier, 0, 0};
      if (pair.now == now && pair.earlier == earlier) return &pair;
    }
    return nullptr;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Pair& pair : pairs_) {
      if (pair.count != 0) visit(pair);
    }
  }
  SpinLock lock;
  std::atomic<bool> full{false};  ///< there was another

 private:
  Pair pairs_[kMost] = {};
};
constinit Seen seen{};
std::atomic<u32> finished{0};
char folder[3000];
char analysis[32];

const char* name_of(Did what) {
  switch (what) {
    case Did::Read:
      return "read";
    case Did::VptrWrite:
      return "vptr";
    case Did::Free:
      return "free";
    case Did::AtomicRead:
      return "atomic-read";
    case Did::AtomicWrite:
      return "atomic-write";
    default:
      return "write";
  }
}

bool is_write(Did what) {
  return what == Did::Write || what == Did::VptrWrite || what == Did::Free || what == Did::AtomicWrite;
}
bool is_read(Did what) {
  return what == Did::Read || what == Did::AtomicRead;
}

}  // namespace

void RaceReceiver::race(const OnlineRacyAccess& /*access*/, const Vector<PriorAccess>& priors) {
  for (const PriorAccess& prior : priors) {
    online.report(*doing, {static_cast<Time>(index(prior.site.location)), prior.thread}, prior.wrote);
  }
}

/// Sixteen aligned bytes are read and written at once: what line.hpp relies on.
static bool has_avx() {
  u32 a = 0;
  u32 b = 0;
  u32 c = 0;
  u32 d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_AVX) != 0;
}

bool Online::start(const char* setting) {
  std::size_t colon = 0;
  while (setting[colon] != 0 && setting[colon] != ':') ++colon;
  if (setting[colon] == 0 || colon >= sizeof analysis || text_length(setting + colon + 1) >= sizeof folder)
    return false;
  copy_bytes(analysis, setting, colon);
  copy_bytes(folder, setting + colon + 1, text_length(setting + colon + 1));
  stats_ = number_option("stats", 0) != 0;
  lines_are_used_ = has_avx();
  memory_limit_ = number_option("memory_limit_mb", 0) << 20;
  const u64 epochs = number_option("most_epochs", 0);
  if (epochs != 0 && epochs < kMostEpochs) most_epochs_ = static_cast<Time>(epochs);
  const u64 history = number_option("history_size", 3);
  log_entries_ = 1U << (12 + (history < 10 ? history : 10));
  if (!make_tables() || !lines_.create() || !shadow_.create() || !splits_.create() || !read_vectors.create()) {
    Message() << "there is no memory to watch the program with; it runs unwatched";
    return false;
  }
  if (!log_.open(analysis, folder, 0)) {
    Message() << "cannot write to " << folder << "; the program runs unwatched";
    return false;
  }
  log_.set_halt(number_option("halt_on_error", 0) != 0, static_cast<int>(number_option("exitcode", 66)));
  make_analysis();
  if (engine_ == nullptr) Message() << "there is no online analysis " << analysis << "; the program runs unwatched";
  return engine_ != nullptr;
}

void Online::make_analysis() {
  engine_ = make_engine(analysis);
  if (engine_ == nullptr || !engine_->is_by_object()) return;
  is_happens_before_ = true;
  epochs_tell_all_ = true;
  analysis_lock.open(kMostSlots);
  objects_->use_numbers_again();
}

bool Online::make_tables() {
  slots_ = static_cast<ThreadSlot*>(map_memory(kMostSlots * sizeof(ThreadSlot)));
  objects_ = new (arena_allocate(sizeof(SyncObjects))) SyncObjects;
  known_threads_ = new (arena_allocate(sizeof(Vector<Known>))) Vector<Known>;
  return slots_ != nullptr && objects_->create();
}

/// The child has one thread, which comes after all that happened before: everything starts anew.
void Online::start_again_in_child(ThreadState* thread) {
  if (engine_ == nullptr) return;
  analysis_lock.reset();
  arena_reset_lock();
  seen.lock.reset();
  seen.full.store(false, std::memory_order_relaxed);
  log_.reset_lock();
  const u32 parent = static_cast<u32>(system_call(__NR_getppid));
  lines_.forget_all();
  shadow_.forget_all();
  splits_.forget_all();
  read_vectors.forget_all();
  read_planes.forget_all();
  line_planes.forget_all();
  kept_reads.forget_all();
  atomic_planes.forget_all();
  // What the old ones have is left alone: it was being changed, perhaps.
  const bool ready = make_tables();
  make_analysis();
  off_ = false;
  slot_count_ = 0;
  running_ = ended_ = 0;
  threads_seen_ = accesses_ = synchronisations_ = 0;
  thread->online = nullptr;
  thread->look_closer = 1;
  set_cell_now(thread, ThreadState::kNever);
  set_planes(thread, nullptr, nullptr);
  finished.store(0, std::memory_order_relaxed);
  if (!ready || !log_.open(analysis, folder, parent)) engine_ = nullptr;
}

/// The first access of the epoch that fits; an epoch stands for the first of its accesses.
Online::Found Online::find_earlier(Epoch earlier, bool wrote, const Doing& now) const {
  const uptr begin = now.address;
  const uptr end = begin + now.bytes;
  const auto is_atomic = [](Did what) { return what == Did::AtomicRead || what == Did::AtomicWrite; };
  Found found;
  const ThreadSlot& slot = slots_[index(earlier.thread)];
  slot.log.any_before(slot.records_until(earlier.time), [&](const AccessLog::Entry& entry, u64 position) {
    if (entry.is_replaced()) return false;
    if (entry.time() < earlier.time) return true;
    if (entry.time() != earlier.time || entry.address() >= end || entry.address() + entry.bytes() <= begin)
      return false;
    const Did what = entry.what();
    if (wrote ? !is_write(what) : !is_read(what)) return false;
    if (is_atomic(what) && is_atomic(now.what)) {  // two of them never race
      found.is_atomic_too = true;
      return false;
    }
    found = {entry.where(), entry.address(), entry.bytes(), what, position, found.is_atomic_too};
    return false;
  });
  return found;
}

void Online::report_lock(const char* when, const HeldLock& lock) {
  log_ << "lock " << when << " ";
  log_.hexadecimal(lock.address);
  if (lock.shared) log_ << " read";
  log_.stack_at(lock.where);
}

/// The locks of an earlier access: those that its thread took and did not give back, as far as its log goes.
void Online::report_locks_of(Epoch earlier, const Found& found) {
  uptr closed[64];
  u32 closed_count = 0;
  slots_[index(earlier.thread)].log.any_before(found.position, [&](const AccessLog::Entry& entry, u64) {
    const Did what = entry.what();
    if (what != Did::Acquire && what != Did::AcquireShared && what != Did::Release) return false;
    const uptr lock = entry.address();
    for (u32 i = 0; i < closed_count; ++i) {
      if (closed[i] == lock) return false;
    }
    if (closed_count == 64) return true;
    closed[closed_count++] = lock;
    if (what == Did::Release) return false;
    report_lock("earlier", {lock, entry.where(), what == Did::AcquireShared});
    return false;
  });
}

/// The heap block that the address lies in, if its allocation is still in somebody's log.
void Online::report_block(uptr address) {
  for (u32 i = 0; i < slot_count_; ++i) {
    const AccessLog& log = slots_[i].log;
    const bool found = log.any_before(log.end(), [&](const AccessLog::Entry& entry, u64) {
      if (entry.what() != Did::Allocate || address < entry.address() || address >= entry.address() + entry.bytes()) {
        return false;
      }
      log_ << "block heap ";
      log_.hexadecimal(entry.address());
      log_ << " " << u64{entry.bytes()} << " thread " << u64{slots_[i].user_at(entry.time())};
      log_.stack_at(entry.where());
      return true;
    });
    if (found) return;
  }
}

void Online::report_no_more() {
  if (seen.full.exchange(true)) return;
  log_.begin();
  log_ << "incomplete " << u64{Seen::kMost} << " pairs of places race: races between others are not reported\n";
  log_.end();
}

void Online::report(OnlineThread& state, Epoch earlier, bool earlier_wrote) {
  if (off_) return;
  const Doing& doing = state.doing;
  const Found found = find_earlier(earlier, earlier_wrote, doing);
  if (found.what == Did::Nothing && found.is_atomic_too) return;  // a lock was taken where an atomic is now
  u64 number = 0;
  {
    const SpinGuard guard(seen.lock);
    Seen::Pair* const pair = seen.find(doing.pc, found.where.pc);
    if (pair == nullptr) return report_no_more();
    if (++pair->count > 1) return;
    number = pair->race = log_.take_race_number();
  }
  const bool observed = !engine_->knows_by_happens_before(state.slot, earlier);
  log_.begin();
  log_ << "race " << number << (observed ? " observed" : " predicted") << " 1\naccess now " << name_of(doing.what)
       << " ";
  log_.hexadecimal(doing.address);
  log_ << " " << doing.bytes << " thread " << u64{state.id};
  log_.stack_at(doing.where);
  for (u32 i = 0; i < state.held_count; ++i) report_lock("now", state.held[i]);
  log_ << "access earlier " << (found.what == Did::Nothing ? (earlier_wrote ? "write" : "read") : name_of(found.what))
       << " ";
  log_.hexadecimal(found.what == Did::Nothing ? doing.address : found.address);
  log_ << " " << (found.what == Did::Nothing ? doing.bytes : found.bytes) << " thread "
       << u64{slots_[index(earlier.thread)].user_at(earlier.time)};
  log_.stack_at(found.where);
  if (found.what != Did::Nothing) report_locks_of(earlier, found);
  report_block(doing.address);
  log_ << "end\n";
  log_.end();
  log_.await_verdict(number);
}

void Online::check_memory_limit() {
  if (memory_limit_ == 0 || off_) return;
  char text[128];
  const long file = system_call(__NR_open, reinterpret_cast<long>("/proc/self/statm"), 0x80000 /* O_CLOEXEC */);
  if (file < 0) return;
  const long length = system_call(__NR_read, file, reinterpret_cast<long>(text), sizeof text - 1);
  system_call(__NR_close, file);
  if (length <= 0) return;
  text[length] = 0;
  const char* at = text;
  while (*at != 0 && *at != ' ') ++at;
  u64 pages = 0;
  for (at += *at == ' '; *at >= '0' && *at <= '9'; ++at) pages = pages * 10 + static_cast<u64>(*at - '0');
  if (pages * 4096 <= memory_limit_) return;
  stop_watching([&] { log_ << "the memory limit of " << (memory_limit_ >> 20) << " MiB is reached"; });
}

namespace {

/// Of a thread that still runs: what it has counted so far. It goes on counting, and the process is about to end:
/// nobody waits for it.
OMEN_NOINLINE __attribute__((no_sanitize("thread"))) void add_counts(const ThreadSlot& slot, u64& accesses,
                                                                     u64& synchronisations, RuleCounters& counters) {
  const OnlineThread* const state = slot.running.load(std::memory_order_acquire);
  if (state == nullptr) return;
  accesses += state->accesses();
  synchronisations += state->synchronisations;
  for (std::size_t i = 0; i < kRuleCount; ++i) counters.fired[i] += state->counters.fired[i];
}

}  // namespace

void Online::finish() {
  if (engine_ == nullptr || finished.exchange(1) != 0) return;
  ThreadState* const thread = current_thread;
  if (thread != nullptr) ++thread->busy;
  u64 accesses = accesses_;
  u64 synchronisations = synchronisations_;
  RuleCounters counters = engine_->counters();
  for (std::size_t i = 0; i < kRuleCount; ++i) counters.fired[i] += settled_counters_.fired[i];
  for (u32 i = 0; i < slots_in_use(); ++i) add_counts(slots_[i], accesses, synchronisations, counters);
  log_.begin();
  seen.for_each([&](const Seen::Pair& pair) { log_ << "repeat " << pair.race << " " << pair.count << "\n"; });
  log_ << "counter threads " << threads_seen_ << "\ncounter accesses " << accesses << "\ncounter synchronisations "
       << synchronisations << "\n";
  if (stats_) {
    u64 log_bytes = 0;
    for (u32 i = 0; i < slots_in_use(); ++i) log_bytes += slots_[i].log.bytes();
    for (std::size_t i = 0; i < kRuleCount; ++i) {
      log_ << "counter rule.";
      for (const char letter : kRuleNames[i]) {
        const char one[2] = {letter == ' ' ? '-' : letter, 0};
        log_ << one;
      }
      log_ << " " << counters.fired[i] << "\n";
    }
    for (u64 i = 0; i < 4; ++i) log_ << "counter held." << i << " " << counters.locks_held[i] << "\n";
    log_ << "counter ancillary.checked " << counters.ancillary_checked << "\ncounter ancillary.used "
         << counters.ancillary_used << "\ncounter ancillary.sections " << engine_->ancillary_sections()
         << "\ncounter sections " << engine_->sections() << "\ncounter cells.split " << splits_.live()
         << "\ncounter older.found " << older_found_ << "\ncounter older.lost " << older_lost_ << "\ncounter slots "
         << u64{slot_count_} << "\ncounter objects " << objects_->live() << "\ncounter bytes.shadow "
         << lines_.bytes() + shadow_.bytes() << "\ncounter bytes.planes "
         << read_planes.bytes() + line_planes.bytes() + kept_reads.bytes() + atomic_planes.bytes()
         << "\ncounter bytes.logs " << log_bytes << "\ncounter bytes.split " << splits_.live() * sizeof(SplitCell)
         << "\ncounter bytes.vectors " << read_vectors.live_bytes() << "\ncounter bytes.analysis " << arena_bytes()
         << "\n";
    hidden_state_counters.write(log_);
  }
  log_ << "exit\n";
  log_.end();
  if (thread != nullptr) --thread->busy;
}

}  // namespace omen::rt::online
