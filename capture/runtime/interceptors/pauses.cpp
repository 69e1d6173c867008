#include "capture/runtime/interceptors/pauses.hpp"

#include <asm/unistd.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/message_log.hpp"
#include "capture/runtime/interceptors/other_threads.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {
namespace {

constexpr u64 kMicrosecond = 1'000;
constexpr u64 kPause = 100 * kMicrosecond;
constexpr u64 kFree = 20'000 * kMicrosecond;  ///< the pauses that every process may take
constexpr u64 kShare = 64;                    ///< beyond that: this fraction of the time since its first release

std::atomic<u64> first_release{0};
std::atomic<u64> pauses{0};

/// False: the process has used up its pause time.
bool has_time_left() {
  const u64 now = monotonic_nanoseconds();
  u64 first = 0;
  if (first_release.compare_exchange_strong(first, now, std::memory_order_relaxed)) first = now;
  return (pauses.load(std::memory_order_relaxed) + 1) * kPause <= kFree + (now - first) / kShare;
}

}  // namespace

void pause_behind_release(const ThreadState& thread) {
  if (!recorder.recording() && !detect::detector.on()) return;
  if (schedule::on() || thread.busy != 0 || thread.in_handler != 0) return;
  if (detect::number_option("pauses", 1) == 0 || thread_count() < 2 || !has_time_left()) return;
  pauses.fetch_add(1, std::memory_order_relaxed);
  const u64 time[2] = {0, kPause};
  system_call(__NR_nanosleep, reinterpret_cast<long>(time), 0);
}

}  // namespace omen::rt
