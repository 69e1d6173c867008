/// \file
/// The lives of the program's memory.
#include <malloc.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::detect {
namespace {

/// Where a life of memory begins, for reports: they say where a block comes from, and name accesses of the present
/// life.
void log_life(ThreadState* thread, LogKind begin, uptr address, u64 bytes, uptr pc) {
  DetectorThread& t = *thread->detector;
  t.log->add(address, bytes < AccessLog::kLongest ? bytes : AccessLog::kLongest, begin, recorder.place_at(thread, pc),
             t.now.time());
}

}  // namespace

void Detector::memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc) {
  using raw::RawOp;
  if (off_ || thread->detector == nullptr) return;
  const bool is_allocation = op == RawOp::Allocate || op == RawOp::AllocateUnwritten;
  if (thread->watch == ThreadState::Watch::Alone) {
    // Threads that begin later may race there.
    if (is_allocation) log_life(thread, LogKind::Allocate, address, bytes, pc);
    return;
  }
  // What a block is written to when it is freed: more would cost much and find little.
  constexpr u64 kFreedBytes = 1024;
  look_at_memory(*thread->detector);
  u64 end = address + bytes;
  uptr begin = address;
  if (op == RawOp::Allocate) {
    // The whole of what its last owner freed, which may be more than was asked for now.
    const Busy busy(thread);
    const u64 usable = malloc_usable_size(reinterpret_cast<void*>(address));
    if (usable > bytes) end = address + usable;
  }
  if (op == RawOp::Free && thread->ignore_access == 0) {
    const u64 written = bytes < kFreedBytes ? bytes : kFreedBytes;
    access(thread, address, written, LogKind::Free, pc);
    begin = address + written;
  }
  {
    const Busy busy(thread);
    if (begin < end) shadow_.clear(*thread->detector, begin, end);
    if (objects_->may_have(address, end)) {
      objects_->remove(address, end, [&](SyncObjects::Number number) { order_->forget_object(number); });
    }
    if (op != RawOp::Free) log_life(thread, is_allocation ? LogKind::Allocate : LogKind::NewMemory, address, bytes, pc);
  }
  // A block that another thread uses before it can know of it: its first byte is written here. Uninstrumented code
  // hands blocks on by means that are not seen.
  if (((op == RawOp::Allocate && origin_of(pc) != Origin::Foreign) || (op == RawOp::NewMemory && pc != 0)) &&
      thread->ignore_access == 0) {
    access(thread, address, 1, LogKind::Write, pc);
  }
}

}  // namespace omen::rt::detect
