/// \file
/// Start, end and limits of detection.
#include "capture/runtime/detector/detector.hpp"

#include <asm/unistd.h>
#include <cpuid.h>

#include <new>

#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::detect {

constinit Detector detector;

namespace {

std::atomic<u32> finished{0};
char folder[3000];
char analysis[32];

/// Sixteen aligned bytes are read and written at once: what the shadow relies on.
bool has_avx() {
  u32 a = 0;
  u32 b = 0;
  u32 c = 0;
  u32 d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_AVX) != 0;
}

}  // namespace

bool Detector::start(const char* setting, u32 watcher) {
  std::size_t colon = 0;
  while (setting[colon] != 0 && setting[colon] != ':') ++colon;
  if (setting[colon] == 0 || colon >= sizeof analysis || text_length(setting + colon + 1) >= sizeof folder)
    return false;
  copy_bytes(analysis, setting, colon);
  copy_bytes(folder, setting + colon + 1, text_length(setting + colon + 1));
  counts_ = number_option("stats", 0) != 0;
  memory_limit_ = number_option("memory_limit_mb", 0) << 20;
  const u64 epochs = number_option("most_epochs", 0);
  if (epochs != 0 && epochs < kMostEpochs) most_epochs_ = static_cast<Time>(epochs);
  const u64 threads = number_option("most_threads", 0);
  if (threads != 0 && threads < kMostSlots) most_threads_ = static_cast<Slot>(threads);
  const u64 history = number_option("history_size", 3);
  log_entries_ = 1U << (12 + (history < 10 ? history : 10));
  if (!has_avx()) {
    Message() << "detection needs a processor with AVX; the program runs unwatched";
    return false;
  }
  if (!shadow_.create()) {
    Message() << "there is no memory to watch the program with; it runs unwatched";
    return false;
  }
  if (!log_.open(analysis, folder, 0)) {
    Message() << "cannot write to " << folder << "; the program runs unwatched";
    return false;
  }
  if (watcher != 0) log_.set_watcher(watcher);
  if (has_race_callback()) log_.set_wanted();
  log_.set_halt(number_option("halt_on_error", 0) != 0, static_cast<int>(number_option("exitcode", 66)));
  if (make_parts()) return true;
  Message() << "there is no online analysis " << analysis << "; the program runs unwatched";
  return false;
}

/// All but the shadow, in its state before the first thread.
bool Detector::make_parts() {
  slots_ = static_cast<ThreadSlot*>(map_memory(kMostSlots * sizeof(ThreadSlot)));
  objects_ = new (arena_allocate(sizeof(SyncObjects))) SyncObjects;
  known_threads_ = new (arena_allocate(sizeof(Vector<KnownThread>))) Vector<KnownThread>;
  if (slots_ == nullptr || !objects_->create()) return false;
  Order* const order = make_order(analysis, slots_);
  if (order == nullptr) return false;
  predicts_ = order->predicts();
  if (!predicts_) objects_->use_numbers_again();
  epochs_tell_all_ = !predicts_;
  section_order_ = SectionOrder(*order, slots_);
  reports_.start(log_, slots_, slot_count_, predicts_);
  shadow_.start(section_order_, slots_, slot_count_, reports_, counts_);
  order_ = order;
  return true;
}

/// The child has one thread, which comes after all that happened before: everything starts anew. What the old parts
/// have is left alone: it was being changed, perhaps.
void Detector::start_again_in_child(ThreadState* thread) {
  if (order_ == nullptr) return;
  arena_reset_lock();
  threads_lock_.reset();
  reports_.reset_locks();
  log_.reset_lock();
  const u32 parent = static_cast<u32>(system_call(__NR_getppid));
  shadow_.forget_all();
  const bool ready = make_parts();
  off_ = false;
  slot_count_ = 0;
  running_ = ended_ = 0;
  threads_seen_ = 0;
  ended_counts_ = {};
  thread->detector = nullptr;
  thread->look_closer = 1;
  set_cell_now(thread, ThreadState::kNever);
  set_thread_reads(thread, nullptr);
  finished.store(0, std::memory_order_relaxed);
  if (!ready || !log_.open(analysis, folder, parent)) order_ = nullptr;
}

/// Is all that the thread does ordered before whatever comes later, sections and all? One that it is in may end when
/// others are there, and order them.
bool Detector::is_alone(const DetectorThread& t) const {
  return running_.load(std::memory_order_relaxed) == 1 && ended_.load(std::memory_order_relaxed) == 0 &&
         t.sections.is_empty() && !recorder.recording();
}

/// After a step of the thread: its epoch, and what is settled for it, are made known to the fast path.
void Detector::refresh(ThreadState* thread) {
  DetectorThread& t = *thread->detector;
  const Time time = (*t.clock)[ThreadId{t.slot}];
  section_order_.publish(t, time);
  if (OMEN_UNLIKELY(time >= most_epochs_)) {
    stop_watching([&] { log_ << "a thread has had " << u64{most_epochs_} << " epochs"; });
  }
  slots_[t.slot].stamp(time);
  thread->watch = is_alone(t) ? ThreadState::Watch::Alone : ThreadState::Watch::Yes;
  thread->look_closer = counts_ || off_ || thread->watch != ThreadState::Watch::Yes || recorder.recording();
  if (OMEN_UNLIKELY(thread->thread_reads == nullptr)) set_thread_reads(thread, thread_reads.table(t.slot));
  set_cell_now(thread, counts_ || off_ ? ThreadState::kNever : t.now.bits());
}

void Detector::check_memory_limit() {
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

/// Of all threads. Those that still run go on counting, and the process is about to end: they are not waited for.
OMEN_NOINLINE __attribute__((no_sanitize("thread"))) Counts Detector::counts_so_far() {
  const SpinGuard guard(threads_lock_);
  Counts counts = ended_counts_;
  for (Slot i = 0; i < slot_count_; ++i) {
    const DetectorThread* const t = slots_[i].running.load(std::memory_order_acquire);
    if (t != nullptr) t->add_to(counts);
  }
  return counts;
}

int Detector::finish() {
  if (order_ == nullptr || finished.exchange(1) != 0) return -1;
  ThreadState* const thread = current_thread;
  if (thread != nullptr) ++thread->busy;
  const Counts counts = counts_so_far();
  const Slot slots = slot_count_;
  log_.begin();
  reports_.finish();
  log_.counter("threads", threads_seen_);
  log_.counter("accesses", counts.accesses);
  log_.counter("synchronisations", counts.synchronisations);
  if (counts_) {
    for (std::size_t i = 0; i < kRuleCount; ++i) {
      char name[32] = "rule.";
      std::size_t used = 5;
      for (const char letter : kRuleNames[i]) name[used++] = letter == ' ' ? '-' : letter;
      log_.counter(name, counts.rules.fired[i]);
    }
    for (u64 i = 0; i < 4; ++i) {
      const char name[] = {'h', 'e', 'l', 'd', '.', static_cast<char>('0' + i), 0};
      log_.counter(name, counts.rules.locks_held[i]);
    }
    u64 log_bytes = 0;
    u64 section_bytes = 0;
    u64 sections = 0;
    for (Slot i = 0; i < slots; ++i) {
      log_bytes += slots_[i].log.bytes();
      section_bytes += slots_[i].sections.bytes();
      sections += slots_[i].sections.size();
    }
    const Shadow::Counters shadow = shadow_.counters();
    log_.counter("analysed", counts.analysed);
    log_.counter("sections", sections);
    log_.counter("details", shadow.details);
    log_.counter("bounds.found", shadow.bounds_found);
    log_.counter("bounds.lost", shadow.bounds_lost);
    log_.counter("slots", slots);
    log_.counter("objects", objects_->live());
    log_.counter("bytes.shadow", shadow.line_bytes);
    log_.counter("bytes.details", shadow.detail_bytes);
    log_.counter("bytes.thread_reads", thread_reads.bytes());
    log_.counter("bytes.logs", log_bytes);
    log_.counter("bytes.sections", section_bytes);
    log_.counter("bytes.order", arena_bytes());
    hidden_state_counters.write(log_);
  }
  const u64 number = log_.has_watcher() ? log_.take_race_number() : 0;
  log_ << online_log::word::kExit;
  if (number != 0) log_ << " " << number;
  log_ << "\n";
  log_.end();
  const int code = log_.end_code(number);
  if (thread != nullptr) --thread->busy;
  return code;
}

}  // namespace omen::rt::detect
