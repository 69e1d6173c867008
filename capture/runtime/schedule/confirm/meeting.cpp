#include "capture/runtime/schedule/confirm/meeting.hpp"

#include <link.h>

#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/frames.hpp"
#include "capture/runtime/schedule/kernel_state.hpp"
#include "capture/runtime/schedule/log.hpp"
#include "capture/runtime/schedule/option_text.hpp"
#include "capture/runtime/schedule/scheduler.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::confirm {
namespace {

using schedule::Arrival;
using schedule::LogMessage;

constexpr u64 kMillisecond = 1'000'000;
constexpr u64 kNap = 2 * kMillisecond;
constexpr u32 kIdleLooks = 25;  ///< meanwhile a sleep of another thread may end
constexpr u32 kWaiters = 64;    ///< concurrent; a thread that finds all places taken continues

struct Place {
  u64 offset = 0;
  char module[256] = {};
  std::atomic<uptr> address{0};  ///< 0: the module is not loaded
};

struct Waiter {
  bool used;
  u32 side;
  Arrival arrival;
};

struct Meeting {
  char log[1024] = {};
  u64 longest = 0;           ///< of one wait, in nanoseconds
  std::atomic<u64> left{0};  ///< time that all waits together may still take
  std::atomic<bool> over{true};
  Place places[2];
  SpinLock lock;  ///< guards the next
  Waiter waiters[kWaiters] = {};
  std::atomic<u32> word{0};  ///< changes when two threads have met
};
constinit Meeting meeting{};

bool read_place(const char* text, const char* name, Place& place) {
  char value[300];
  if (!schedule::option_in(text, name, value, sizeof value)) return false;
  place.offset = schedule::number_in(value);
  const char* module = value;
  while (*module != 0 && *module != '@') ++module;
  if (*module == 0 || text_length(module + 1) >= sizeof place.module) return false;
  copy_bytes(place.module, module + 1, text_length(module + 1) + 1);
  return true;
}

const char* base_name(const char* path) {
  const char* base = path;
  for (; *path != 0; ++path) {
    if (*path == '/') base = path + 1;
  }
  return base;
}

int look_at_module(dl_phdr_info* info, std::size_t, void* program) {
  const char* name = info->dlpi_name;
  if (name == nullptr || name[0] == 0) name = static_cast<const char*>(program);
  for (Place& place : meeting.places) {
    if (text_equal(base_name(name), place.module)) place.address.store(info->dlpi_addr + place.offset);
  }
  return 0;
}

bool meets(const Arrival& a, const Arrival& b) {
  return (a.write || b.write) && a.thread != b.thread && a.address < b.address + b.bytes &&
         b.address < a.address + a.bytes;
}

void tell(const Arrival& first, const Arrival& second) {
  LogMessage log(meeting.log);
  log << "met\n";
  for (const Arrival* arrival : {&first, &second}) {
    log << "access " << u64{arrival->thread} << " " << u64{arrival->write ? 1U : 0U} << " " << arrival->bytes << " ";
    log.hexadecimal(arrival->address) << "\n";
  }
}

/// Another thread may still arrive: at least one of the others runs, or has run since the last look. `digest` is kept
/// between two looks.
bool can_come(u64& digest) {
  const u64 now = other_tasks_digest();
  const bool same = now == digest;
  digest = now;
  return now == 0 || !same;
}

void await(Waiter& waiter) {
  const u64 begin = schedule::monotonic_time();
  u64 digest = 0;
  u32 idle = 0;
  for (u64 now = begin; now - begin < meeting.longest; now = schedule::monotonic_time()) {
    const u32 seen = meeting.word.load(std::memory_order_acquire);
    if (meeting.over.load(std::memory_order_acquire)) break;
    await_change_for(meeting.word, seen, kNap);
    if (can_come(digest)) {
      idle = 0;
    } else if (++idle >= kIdleLooks) {
      break;
    }
  }
  const u64 spent = schedule::monotonic_time() - begin;
  u64 left = meeting.left.load(std::memory_order_relaxed);
  while (!meeting.left.compare_exchange_weak(left, left > spent ? left - spent : 0)) {
  }
  const SpinGuard guard(meeting.lock);
  waiter.used = false;
}

void arrive(const ThreadState* thread, u32 side, uptr address, u64 bytes, bool write) {
  const bool is_one_place = meeting.places[0].address.load() == meeting.places[1].address.load();
  Waiter* mine = nullptr;
  {
    const SpinGuard guard(meeting.lock);
    if (meeting.over.load(std::memory_order_relaxed)) return;
    Arrival arrival;
    arrival.thread = thread->id;
    arrival.address = address;
    arrival.bytes = bytes;
    arrival.write = write;
    for (Waiter& waiter : meeting.waiters) {
      if (!waiter.used) {
        if (mine == nullptr) mine = &waiter;
        continue;
      }
      if ((waiter.side == side && !is_one_place) || !meets(waiter.arrival, arrival)) continue;
      tell(waiter.arrival, arrival);
      meeting.over.store(true, std::memory_order_release);
      meeting.word.fetch_add(1, std::memory_order_release);
      wake_one(meeting.word);
      return;
    }
    if (mine == nullptr || meeting.left.load(std::memory_order_relaxed) == 0) return;
    *mine = {true, side, arrival};
  }
  await(*mine);
}

}  // namespace

bool start(const char* text) {
  char value[32];
  if (!schedule::option_in(text, "log", meeting.log, sizeof meeting.log) ||
      !read_place(text, "first", meeting.places[0]) || !read_place(text, "second", meeting.places[1])) {
    return false;
  }
  meeting.longest =
      (schedule::option_in(text, "wait", value, sizeof value) ? schedule::number_in(value) : 100) * kMillisecond;
  meeting.left.store((schedule::option_in(text, "total", value, sizeof value) ? schedule::number_in(value) : 3000) *
                     kMillisecond);
  find_modules();
  if (!schedule::claim_log(meeting.log) || !schedule::take_control(schedule::Mode::Confirm)) return false;
  meeting.over.store(false, std::memory_order_release);
  return true;
}

void find_modules() {
  char program[2048];
  program_path(program, sizeof program);
  dl_iterate_phdr(look_at_module, program);
}

void access(const ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (OMEN_LIKELY(meeting.over.load(std::memory_order_relaxed)) || thread->busy != 0 || bytes == 0) return;
  for (u32 side = 0; side < 2; ++side) {
    const uptr place = meeting.places[side].address.load(std::memory_order_relaxed);
    // Reports name the call itself, which precedes its return address.
    if (place != 0 && (pc == place || pc == place + 1)) return arrive(thread, side, address, bytes, write);
  }
}

void stop() {
  meeting.over.store(true, std::memory_order_release);
}

}  // namespace omen::rt::confirm
