#include "capture/runtime/dispatch/verified_placement.hpp"

#define OMEN_ABI extern "C" __attribute__((visibility("default")))

namespace omen::rt {

/// The accesses and checks of 64 bytes in the current stretch, as masks with a bit per byte.
struct VerifiedLine {
  u64 line = 0;
  u64 read = 0;
  u64 written = 0;
  u64 read_first = 0;  ///< read before the thread wrote it
  u64 checked_read = 0;
  u64 checked_written = 0;
  u64 checked_read_first = 0;
  u32 access_at = 0;  ///< source lines, for messages
  u32 check_at = 0;
};
static_assert(sizeof(VerifiedLine) == 64);

/// The lines of a thread's current stretch, in the order of their first use, with an index by address.
struct VerifiedStretch {
  u64 barriers;  ///< the thread's count when the stretch began
  u64 used;
  u64 capacity;  ///< a power of two
  u64 accesses;
  u64 checks;
  u32 generation;
  VerifiedLine* lines;
  u64* index;  ///< twice the capacity: generation in the upper half, index in `lines` in the lower
};

namespace {

constexpr u64 kFirstCapacity = 1024;
constexpr u64 kMostMessages = 20;
constexpr u32 kRead = 0;  // as in capture/pass/checks.hpp
constexpr u32 kWrite = 1;

std::atomic<u64> stretches{0};
std::atomic<u64> all_accesses{0};
std::atomic<u64> all_checks{0};
std::atomic<u64> faults{0};

u64 slot_of(const VerifiedStretch& stretch, u64 line) {
  u64 at = (line * 0x9e3779b97f4a7c15) >> 20;
  const u64 mask = 2 * stretch.capacity - 1;
  for (at &= mask;; at = (at + 1) & mask) {
    const u64 entry = stretch.index[at];
    if (entry >> 32 != stretch.generation || stretch.lines[entry & 0xffffffff].line == line) return at;
  }
}

void enter(VerifiedStretch& stretch, u64 number) {
  stretch.index[slot_of(stretch, stretch.lines[number].line)] = u64{stretch.generation} << 32 | number;
}

/// False if there is no memory.
bool grow(VerifiedStretch& stretch) {
  const u64 capacity = stretch.capacity == 0 ? kFirstCapacity : 2 * stretch.capacity;
  auto* const lines = static_cast<VerifiedLine*>(map_memory(capacity * sizeof(VerifiedLine)));
  auto* const index = static_cast<u64*>(map_memory(2 * capacity * sizeof(u64)));
  if (lines == nullptr || index == nullptr) return false;
  if (stretch.capacity != 0) {
    copy_bytes(lines, stretch.lines, stretch.used * sizeof(VerifiedLine));
    unmap_memory(stretch.lines, stretch.capacity * sizeof(VerifiedLine));
    unmap_memory(stretch.index, 2 * stretch.capacity * sizeof(u64));
  }
  stretch.lines = lines;
  stretch.index = index;
  stretch.capacity = capacity;
  stretch.generation = 1;
  for (u64 number = 0; number < stretch.used; ++number) enter(stretch, number);
  return true;
}

VerifiedLine* line_at(VerifiedStretch& stretch, u64 line) {
  if (stretch.used == stretch.capacity && !grow(stretch)) return nullptr;
  u64& entry = stretch.index[slot_of(stretch, line)];
  if (entry >> 32 != stretch.generation) {
    entry = u64{stretch.generation} << 32 | stretch.used;
    stretch.lines[stretch.used] = {};
    stretch.lines[stretch.used++].line = line;
  }
  return &stretch.lines[entry & 0xffffffff];
}

void fault(const VerifiedLine& line, u64 bytes, const char* what) {
  if (bytes == 0 || faults.fetch_add(1, std::memory_order_relaxed) >= kMostMessages) return;
  Message() << "placement: byte " << static_cast<u64>(__builtin_ctzll(bytes)) << " of 64 at " << line.line * 64 << " "
            << what << "; last access in line " << line.access_at << ", last check in line " << line.check_at;
}

void compare(VerifiedStretch& stretch) {
  for (u64 number = 0; number < stretch.used; ++number) {
    const VerifiedLine& line = stretch.lines[number];
    const u64 checked = line.checked_read | line.checked_written;
    fault(line, line.read & ~checked, "is read without a check");
    fault(line, line.written & ~line.checked_written, "is written without a check");
    fault(line, checked & ~(line.read | line.written), "is checked and not accessed");
    fault(line, line.checked_written & ~line.written, "is checked for a write and not written");
    fault(line, line.read_first & checked & ~line.checked_read_first,
          "is read before it is written and not checked so");
  }
  if (stretch.used != 0) stretches.fetch_add(1, std::memory_order_relaxed);
  all_accesses.fetch_add(stretch.accesses, std::memory_order_relaxed);
  all_checks.fetch_add(stretch.checks, std::memory_order_relaxed);
  stretch.used = stretch.accesses = stretch.checks = 0;
  if (++stretch.generation == 0) {
    clear_bytes(stretch.index, 2 * stretch.capacity * sizeof(u64));
    stretch.generation = 1;
  }
}

/// The thread's current stretch; a barrier begins a new one. Null if there is no memory: then nothing is compared.
VerifiedStretch* stretch_of(ThreadState* thread) {
  if (thread->verified == nullptr) {
    thread->verified = static_cast<VerifiedStretch*>(map_memory(sizeof(VerifiedStretch)));
    if (thread->verified == nullptr || !grow(*thread->verified)) {
      thread->verified = nullptr;
      return nullptr;
    }
  }
  VerifiedStretch& stretch = *thread->verified;
  if (stretch.barriers != thread->barriers) {
    compare(stretch);
    stretch.barriers = thread->barriers;
  }
  return &stretch;
}

void note_access(VerifiedLine& line, u64 bytes, u32 kind, u32 at) {
  if (kind != kWrite) {
    line.read_first |= bytes & ~line.written;
    line.read |= bytes;
  }
  if (kind != kRead) line.written |= bytes;
  line.access_at = at;
}

void note_check(VerifiedLine& line, u64 bytes, u32 kind, u32 at) {
  if (kind != kWrite) {
    line.checked_read_first |= bytes & ~line.checked_written;
    line.checked_read |= bytes;
  }
  if (kind != kRead) line.checked_written |= bytes;
  line.check_at = at;
}

template <void note(VerifiedLine&, u64, u32, u32)>
void note_lines(VerifiedStretch& stretch, uptr address, u64 length, u32 kind, u32 at) {
  for (uptr begin = address; begin < address + length;) {
    const uptr next = (begin / 64 + 1) * 64;
    const uptr end = next < address + length ? next : address + length;
    const u64 bytes = (~u64{0} >> (64 - (end - begin))) << begin % 64;
    VerifiedLine* const line = line_at(stretch, begin / 64);
    if (line == nullptr) return;
    note(*line, bytes, kind, at);
    begin = end;
  }
}

ThreadState* verified_thread() {
  ThreadState* const thread = recording_thread();
  return thread != nullptr && thread->in_handler == 0 ? thread : nullptr;
}

}  // namespace

void end_verified_thread(ThreadState* thread) {
  VerifiedStretch* const stretch = thread->verified;
  if (stretch == nullptr) return;
  compare(*stretch);
  unmap_memory(stretch->lines, stretch->capacity * sizeof(VerifiedLine));
  unmap_memory(stretch->index, 2 * stretch->capacity * sizeof(u64));
  unmap_memory(stretch, sizeof(VerifiedStretch));
  thread->verified = nullptr;
}

void end_verification(ThreadState* thread) {
  if (thread != nullptr) end_verified_thread(thread);
  if (all_accesses.load(std::memory_order_relaxed) == 0) return;
  Message() << "placement: " << stretches.load(std::memory_order_relaxed) << " stretches, "
            << all_accesses.load(std::memory_order_relaxed) << " accesses, "
            << all_checks.load(std::memory_order_relaxed) << " checks, " << faults.load(std::memory_order_relaxed)
            << " faults";
}

}  // namespace omen::rt

using namespace omen::rt;

OMEN_ABI void __omen_verify_access(void* p, unsigned long length, u32 kind, u32 line) {
  ThreadState* const thread = verified_thread();
  if (thread == nullptr) return;
  const Busy busy(thread);
  if (VerifiedStretch* const stretch = stretch_of(thread)) {
    ++stretch->accesses;
    note_lines<note_access>(*stretch, reinterpret_cast<uptr>(p), length, kind, line);
  }
}

OMEN_ABI void __omen_verify_check(void* p, unsigned long length, u32 kind, u32 line) {
  ThreadState* const thread = verified_thread();
  if (thread == nullptr) return;
  const Busy busy(thread);
  if (VerifiedStretch* const stretch = stretch_of(thread)) {
    ++stretch->checks;
    note_lines<note_check>(*stretch, reinterpret_cast<uptr>(p), length, kind, line);
  }
}

OMEN_ABI void __omen_verify_strided(void* p, unsigned long count, long stride, unsigned long mask, u32 kind, u32 line) {
  ThreadState* const thread = verified_thread();
  if (thread == nullptr) return;
  const Busy busy(thread);
  VerifiedStretch* const stretch = stretch_of(thread);
  if (stretch == nullptr) return;
  ++stretch->checks;
  for (u64 at = 0; at < count; ++at) {
    const uptr base = reinterpret_cast<uptr>(p) + at * static_cast<u64>(stride);
    for (u32 byte = 0; byte < 64; ++byte) {
      if ((mask >> byte & 1) != 0) note_lines<note_check>(*stretch, base + byte, 1, kind, line);
    }
  }
}
