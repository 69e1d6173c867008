/// \file
/// Frames that the shadow call stack lacks: those of functions without instrumentation between the innermost
/// instrumented function and the caller of the runtime, as in `std::thread`'s constructor, which calls
/// `pthread_create` from inside libstdc++. Without them the place in the instrumented function is lost: its frame says
/// only where it was called from.
///
/// The unwinder of libgcc_s finds them, if the program has loaded it. That takes microseconds, so it is used for rare
/// events only. It never goes beyond the innermost instrumented frame: the stack beyond it may be hand-made.
#pragma once

#include "capture/runtime/stacks/call_stack.hpp"

namespace omen::rt {

/// `stack` has these frames too while this object exists.
class UnseenFrames {
 public:
  /// `caller` is the return address of the replaced function. The thread must be busy: the unwinder's actions are not
  /// the program's.
  UnseenFrames(CallStack& stack, uptr caller);
  ~UnseenFrames() { stack_.cut(top_); }
  UnseenFrames(const UnseenFrames&) = delete;
  UnseenFrames& operator=(const UnseenFrames&) = delete;

 private:
  CallStack& stack_;
  Frame* top_;
};

}  // namespace omen::rt
