/// \file
/// The private memory of the C library and the OpenMP runtimes. They guard it with locks and atomics that omen does not
/// see. So internal allocations, frees and accesses order nothing and race with nothing: such a block only begins and
/// ends a life.
///
/// Two signs show that a library is active: the caller's address is in it or in the loader, or the thread is inside an
/// interceptor that declares it with `InLibrary`. The second is for modules that the library loads (name services,
/// character sets).
#pragma once

#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

/// The code ranges of the C library, the loader and OpenMP runtimes. Written once, before there are other threads.
struct LibraryCode {
  static constexpr u32 kMost = 8;
  uptr begin[kMost];
  uptr end[kMost];
  u32 count;

  bool has(uptr pc) const {
    for (u32 i = 0; i < count; ++i) {
      if (pc - begin[i] < end[i] - begin[i]) return true;
    }
    return false;
  }
};
extern LibraryCode c_library;
void find_c_library();

/// Repairs itself like the call stack: a thread that left the function by a jump, or was cancelled in it, has a stack
/// pointer above the frame from which the library was entered.
OMEN_INLINE bool is_in_library(const ThreadState& thread) {
  return OMEN_UNLIKELY(thread.library_frame != 0) &&
         reinterpret_cast<uptr>(__builtin_frame_address(0)) < thread.library_frame;
}

/// A call from `pc` is made for a library's own purposes.
inline bool is_for_library(const ThreadState& thread, uptr pc) {
  return c_library.has(pc) || is_in_library(thread);
}

/// A lock or condition that uninstrumented code creates, destroys or waits for. It may create one for the first of
/// several threads and publish it by an atomic that omen does not see.
inline bool is_for_uninstrumented_code(const ThreadState& thread, uptr pc) {
  return is_for_library(thread, pc) || origin_of(pc) == Origin::Foreign;
}

/// While it lives the thread is inside the C library.
class InLibrary {
 public:
  explicit InLibrary(ThreadState* thread) : thread_(thread) {
    if (thread_ == nullptr) return;
    before_ = thread_->library_frame;
    if (!is_in_library(*thread_)) thread_->library_frame = reinterpret_cast<uptr>(__builtin_frame_address(0));
  }
  ~InLibrary() {
    if (thread_ != nullptr) thread_->library_frame = before_;
  }
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;

 private:
  ThreadState* thread_;
  uptr before_ = 0;
};

}  // namespace omen::rt
