/// \file
/// The functions that the compiler calls for placed checks (capture/pass): each checks several accesses of one line at
/// once. A check stands for the `__tsan_*` calls that it replaces, with the check's own place in the program.
#include "capture/abi/check_group.hpp"
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/masked_access.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;
using namespace omen::rt::detect;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

// abi_memory.cpp
extern "C" void __tsan_read1_pc(void* p, void* pc);
extern "C" void __tsan_read2_pc(void* p, void* pc);
extern "C" void __tsan_read4_pc(void* p, void* pc);
extern "C" void __tsan_read8_pc(void* p, void* pc);
extern "C" void __tsan_write1_pc(void* p, void* pc);
extern "C" void __tsan_write2_pc(void* p, void* pc);
extern "C" void __tsan_write4_pc(void* p, void* pc);
extern "C" void __tsan_write8_pc(void* p, void* pc);

namespace {

/// A place in the program that calls the prefetch function.
struct PrefetchSite {
  u8 calls;        ///< since the last test of a line
  bool is_shared;  ///< that line was in the read-shared state
};
constexpr std::size_t kPrefetchSites = 256;
__thread PrefetchSite prefetch_sites[kPrefetchSites] __attribute__((tls_model("initial-exec"))) = {};

/// The slow path: an access that is not a repetition.
template <bool write>
OMEN_NOINLINE void access_bytes_anew(uptr base, u64 mask, uptr pc) {
  if (ThreadState* const thread = recording_thread()) access_masked<write>(thread, base, mask, pc);
}

template <bool write>
OMEN_INLINE void access_bytes(uptr base, u64 mask, uptr pc) {
  if (is_in_one_region(base) && is_mask_repeated<write>(base, mask, pc)) return;
  access_bytes_anew<write>(base, mask, pc);
}

/// Checks one member of a group. Most members are single accesses, whose check is cheaper than that of a mask.
template <bool write>
OMEN_INLINE void access_member(uptr base, u64 mask, uptr pc) {
  const u32 first = static_cast<u32>(__builtin_ctzll(mask));
  const u64 bytes = mask >> first;
  void* const address = reinterpret_cast<void*>(base + first);
  void* const place = reinterpret_cast<void*>(pc);
  switch (bytes) {
    case 0xff:
      return write ? __tsan_write8_pc(address, place) : __tsan_read8_pc(address, place);
    case 0xf:
      return write ? __tsan_write4_pc(address, place) : __tsan_read4_pc(address, place);
    case 0x3:
      return write ? __tsan_write2_pc(address, place) : __tsan_read2_pc(address, place);
    case 0x1:
      return write ? __tsan_write1_pc(address, place) : __tsan_read1_pc(address, place);
    default:
      return access_bytes<write>(base, mask, pc);
  }
}

/// Checks member by member: each has its own place.
OMEN_NOINLINE void access_group_anew(uptr base, const omen::abi::CheckGroup& group) {
  for (u64 at = 0; at < group.count; ++at) {
    const omen::abi::CheckGroupMember& member = group.members()[at];
    if (member.is_write != 0) {
      access_member<true>(base, member.mask, group.place(at));
    } else {
      access_member<false>(base, member.mask, group.place(at));
    }
  }
}

template <bool write>
OMEN_NOINLINE void access_long_range(uptr address, u64 length, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->watch == ThreadState::Watch::Alone) return;
  recorder.range(thread, address, length, write, pc);
}

template <bool write>
OMEN_INLINE void access_range(const void* p, u64 length, uptr pc) {
  const uptr address = reinterpret_cast<uptr>(p);
  if (OMEN_UNLIKELY(length > 64)) return access_long_range<write>(address, length, pc);
  if (length != 0) access_bytes<write>(address, ~u64{0} >> (64 - length), pc);
}

/// Checks a mask at each of `count` places. Places within the same 64 bytes are one access.
template <bool write>
OMEN_INLINE void access_strided(uptr base, u64 count, long stride, u64 mask, uptr pc) {
  if (mask == 0) return;
  const u64 room = static_cast<u64>(__builtin_clzll(mask));
  u64 together = 1;
  u64 wide = mask;
  if (stride > 0) {
    const u64 step = static_cast<u64>(stride);
    for (; together <= room / step; ++together) wide |= mask << together * step;
  }
  for (; count >= together; count -= together, base += together * static_cast<u64>(stride)) {
    access_bytes<write>(base, wide, pc);
  }
  for (; count != 0; --count, base += static_cast<u64>(stride)) access_bytes<write>(base, mask, pc);
}

}  // namespace

// Bit i of the mask stands for the byte base + i.
OMEN_ABI void __omen_read_bytes(void* base, unsigned long mask) {
  access_bytes<false>(reinterpret_cast<uptr>(base), mask, OMEN_CALLER);
}
OMEN_ABI void __omen_write_bytes(void* base, unsigned long mask) {
  access_bytes<true>(reinterpret_cast<uptr>(base), mask, OMEN_CALLER);
}

OMEN_ABI void __omen_read_range(void* p, unsigned long length) {
  access_range<false>(p, length, OMEN_CALLER);
}
OMEN_ABI void __omen_write_range(void* p, unsigned long length) {
  access_range<true>(p, length, OMEN_CALLER);
}
/// A read, then a write. The value read decides which schedules are possible, so a recording has both.
OMEN_ABI void __omen_read_write_range(void* p, unsigned long length) {
  if (!detector.on() || recorder.recording()) access_range<false>(p, length, OMEN_CALLER);
  access_range<true>(p, length, OMEN_CALLER);
}

// The bytes of a mask at each of `count` places, which are `stride` bytes apart.
OMEN_ABI void __omen_read_strided(void* p, unsigned long count, long stride, unsigned long mask) {
  access_strided<false>(reinterpret_cast<uptr>(p), count, stride, mask, OMEN_CALLER);
}
OMEN_ABI void __omen_write_strided(void* p, unsigned long count, long stride, unsigned long mask) {
  access_strided<true>(reinterpret_cast<uptr>(p), count, stride, mask, OMEN_CALLER);
}
OMEN_ABI void __omen_read_write_strided(void* p, unsigned long count, long stride, unsigned long mask) {
  if (!detector.on() || recorder.recording()) {
    access_strided<false>(reinterpret_cast<uptr>(p), count, stride, mask, OMEN_CALLER);
  }
  access_strided<true>(reinterpret_cast<uptr>(p), count, stride, mask, OMEN_CALLER);
}

/// Accesses on several source lines, within 64 bytes.
OMEN_ABI void __omen_read_write_lines(void* p, const omen::abi::CheckGroup* group) {
  const uptr base = reinterpret_cast<uptr>(p);
  if (OMEN_LIKELY(is_in_one_region(base)) &&
      (group->written == 0 || is_mask_repeated<true>(base, group->written, OMEN_CALLER)) &&
      (group->read == 0 || is_mask_repeated<false>(base, group->read, OMEN_CALLER)))
    return;
  access_group_anew(base, *group);
}

/// The program will access this address soon, and its check will access the shadow. Prefetches the line's shadow, or
/// the thread's own read entry for the line: whichever this place's check used when it was last tested.
OMEN_ABI void __omen_prefetch(const void* p) {
  const uptr address = reinterpret_cast<uptr>(p);
  const ShadowLine* const line = ShadowMap::find(address);
  if (OMEN_UNLIKELY(line == nullptr)) return;
  PrefetchSite& site = prefetch_sites[OMEN_CALLER % kPrefetchSites];
  if (OMEN_UNLIKELY(++site.calls == 0)) site.is_shared = line->read.epoch().is_shared();
  const ReadWord* const word = site.is_shared ? ThreadReads::find(current_thread_reads, address) : nullptr;
  __builtin_prefetch(word != nullptr ? static_cast<const void*>(word) : line);
}
