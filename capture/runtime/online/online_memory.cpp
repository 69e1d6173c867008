/// \file
/// The lives of the program's memory.
#include <malloc.h>

#include "capture/runtime/online/atomic_planes.hpp"
#include "capture/runtime/online/line_access.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

/// Of a block that begins its life. If nobody but this thread has to do with its line, nobody is to be kept out.
void Online::write_first_byte(ThreadState* thread, uptr address, uptr pc) {
  Line* const line = LineMap::find(address);
  const Place where = recorder.place_at(thread, pc);
  if (OMEN_LIKELY(line != nullptr && is_quick(thread) && where.frame != 0)) {
    const OnlineThread& state = *thread->online;
    const u64 wanted = line_bytes_at(address % kLineSize, 1);
    const LineWord written = line->load_write();
    const LineWord read = live_read(written, line->load_read());
    if (line->is_empty()) lines_.prepare(address);
    if (!line->is_open(wanted) && may_take_line<true>(state, written, read, wanted)) {
      state.log->add(address, 1, Did::Write, where, time_in(state.now));
      take_line<true>(state, *line, written, read, wanted);
      return;
    }
  }
  access(thread, address, 1, true, pc);
}

void Online::memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc) {
  using raw::RawOp;
  if (thread->watch == ThreadState::Watch::Alone || off_ || thread->online == nullptr) return;
  // What a block is written to when it is freed: more would cost much and find little.
  constexpr u64 kFreedBytes = 1024;
  look_at_memory(*thread->online);
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
    access_slowly(thread, address, written, Did::Free, pc);
    begin = address + written;
  }
  {
    const Busy busy(thread);
    if (begin < end) {
      clear_memory(*thread->online, begin, end);
      if (end - begin >= ShadowMap::kGivenBack) {
        read_planes.forget(begin, end);
        line_planes.forget(begin, end);
        kept_reads.forget(begin, end);
        atomic_planes.forget(begin, end);
      }
    }
    if (objects_->may_have(address, end)) {
      const AnalysisGuard guard(analysis_lock);
      objects_->remove(address, end, [&](SyncObjects::Number number) { engine_->forget_object(number); });
    }
    if (op == RawOp::Allocate || op == RawOp::AllocateUnwritten) {
      ++thread->online->other_records;
      thread->online->log->add(address, bytes < AccessLog::kLongest ? bytes : AccessLog::kLongest, Did::Allocate,
                               recorder.place_at(thread, pc), time_in(thread->online->now));
    }
  }
  // A block that another thread uses before it can know of it: its first byte is written here.
  if ((op == RawOp::Allocate || (op == RawOp::NewMemory && pc != 0)) && thread->ignore_access == 0) {
    write_first_byte(thread, address, pc);
  }
}

}  // namespace omen::rt::online
