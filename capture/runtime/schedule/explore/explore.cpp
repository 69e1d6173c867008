#include "capture/runtime/schedule/explore/explore.hpp"

#include <asm/unistd.h>

#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/explore/crashes.hpp"
#include "capture/runtime/schedule/log.hpp"
#include "capture/runtime/schedule/option_text.hpp"
#include "capture/runtime/schedule/raw_points.hpp"

namespace omen::rt::explore {
namespace {

using raw::RawOp;

constexpr u64 kSecond = 1'000'000'000;
constexpr u32 kClocks = 12;

std::atomic<u64> seen_signals{0};
u64 clock_starts[kClocks] = {};  // set once, before there are threads

u64 real_clock(int clock) {
  u64 time[2] = {};
  system_call(__NR_clock_gettime, clock, reinterpret_cast<long>(time));
  return time[0] * kSecond + time[1];
}

}  // namespace

bool start(const char* text, void (*before_end)()) {
  Configuration configuration;
  configuration.before_end = before_end;
  char value[sizeof configuration.log];
  if (!schedule::option_in(text, "log", configuration.log, sizeof configuration.log)) return false;
  // Each process has a log of its own.
  std::size_t used = text_length(configuration.log);
  if (used + 16 > sizeof configuration.log) return false;
  configuration.log[used++] = '.';
  char digits[16];
  std::size_t n = sizeof digits;
  for (u32 id = process_id(); id != 0; id /= 10) digits[--n] = static_cast<char>('0' + id % 10);
  while (n < sizeof digits) configuration.log[used++] = digits[n++];
  configuration.log[used] = 0;
  if (schedule::option_in(text, "strategy", value, sizeof value)) {
    configuration.strategy = text_equal(value, "pct")      ? StrategyKind::Pct
                             : text_equal(value, "random") ? StrategyKind::Random
                                                           : StrategyKind::Pos;
  }
  if (schedule::option_in(text, "seed", value, sizeof value)) configuration.seed = schedule::number_in(value);
  if (schedule::option_in(text, "depth", value, sizeof value))
    configuration.depth = static_cast<u32>(schedule::number_in(value));
  if (schedule::option_in(text, "steps", value, sizeof value)) configuration.steps = schedule::number_in(value);
  if (schedule::option_in(text, "points", value, sizeof value)) configuration.most_points = schedule::number_in(value);
  if (!schedule::claim_log(configuration.log) || !explorer.start(configuration)) return false;
  for (u32 clock = 0; clock < kClocks; ++clock) clock_starts[clock] = real_clock(static_cast<int>(clock));
  if (!schedule::take_control(schedule::Mode::Explore)) {
    system_call(__NR_unlink,
                reinterpret_cast<long>(configuration.log));  // its existence says that the run is controlled
    return false;
  }
  catch_crashes();
  return true;
}

void note(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (thread->explored == nullptr || explorer.is_over()) return;
  const bool at_point = thread->busy == 0;
  switch (op) {
    case RawOp::Release:
    case RawOp::ReleaseShared:
    case RawOp::Wait:
    case RawOp::SyncRelease:
    case RawOp::SyncBoth:
    case RawOp::Fork:
      if (at_point) explorer.point(thread, {raw::point_kind(op, detail), object}, pc);
      if (op != RawOp::Fork) {
        explorer.let_go(thread, object);
        explorer.wake(object);
      }
      return;
    case RawOp::Acquire:
    case RawOp::AcquireShared:
    case RawOp::Wake:
      explorer.hold(thread, object, op != RawOp::AcquireShared);
      explorer.note_effect();
      return;
    case RawOp::AtomicStore:
    case RawOp::AtomicRmw:
    case RawOp::SyncTake:
    case RawOp::Join:
      explorer.note_effect();
      return;
    default:
      return;
  }
}

bool await_others(ThreadState* thread, uptr pc) {
  constexpr u64 kLongest = kSecond;
  if (thread->explored == nullptr || explorer.is_over()) return false;
  if (explorer.has_others(thread)) {
    explorer.block(thread, {.kind = WaitKind::Exit, .pc = pc, .deadline = deadline_in(kLongest)});
  }
  return !explorer.has_outside() && !explorer.is_over();
}

void note_signal() {
  seen_signals.fetch_add(1, std::memory_order_release);
}
u64 signals_seen() {
  return seen_signals.load(std::memory_order_acquire);
}
void await_signal(u64 seen_before) {
  constexpr u64 kPatience = 3'000'000;
  const u64 since = schedule::monotonic_time();
  while (signals_seen() == seen_before && schedule::monotonic_time() - since < kPatience) yield_cpu();
  explorer.interrupt_pending();
}

bool is_virtual_clock(int clock) {
  constexpr int kProcess = 2;  // CLOCK_PROCESS_CPUTIME_ID, and the thread's, which follows it
  return clock >= 0 && clock < static_cast<int>(kClocks) && clock != kProcess && clock != kProcess + 1;
}
u64 clock_now(int clock) {
  return clock_starts[clock] + explorer.virtual_now();
}
u64 deadline_at(int clock, u64 seconds, u64 nanoseconds) {
  if (!is_virtual_clock(clock)) clock = 0;
  if (seconds > ~u64{0} / kSecond - 1) return Wait::kNever - 1;
  const u64 at = seconds * kSecond + nanoseconds;
  return at <= clock_starts[clock] ? 0 : at - clock_starts[clock];
}
u64 deadline_in(u64 nanoseconds) {
  const u64 now = explorer.virtual_now();
  return nanoseconds > Wait::kNever - 1 - now ? Wait::kNever - 1 : now + nanoseconds;
}

}  // namespace omen::rt::explore
