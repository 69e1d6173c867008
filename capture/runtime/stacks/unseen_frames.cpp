#include "capture/runtime/stacks/unseen_frames.hpp"

#include <unwind.h>

#include "capture/runtime/base/real_function.hpp"

namespace omen::rt {
namespace {

// Looked up with the functions that ours replace; a program in C has none of them.
[[gnu::used,
  gnu::section("omen_real_functions")]] constinit Real<_Unwind_Reason_Code(_Unwind_Trace_Fn, void*)> real_backtrace{
    {"_Unwind_Backtrace", nullptr}};
[[gnu::used, gnu::section("omen_real_functions")]] constinit Real<_Unwind_Ptr(_Unwind_Context*)> real_ip{
    {"_Unwind_GetIP", nullptr}};
[[gnu::used, gnu::section("omen_real_functions")]] constinit Real<_Unwind_Word(_Unwind_Context*)> real_cfa{
    {"_Unwind_GetCFA", nullptr}};

bool is_known(const RealFunction& function) {
  return function.found.load(std::memory_order_relaxed) != nullptr;
}

/// The position that the shadow stack stores for a function is at least this far below its caller's stack pointer after
/// the return, and at most half as far below the function's own (capture/pass/inlined_frames.cpp).
constexpr uptr kBelow = 32;
/// An instrumented frame that is further away is on another stack.
constexpr uptr kFurthest = uptr{1} << 20;

struct Walk {
  static constexpr u32 kMost = 32;
  uptr caller;
  uptr innermost;  ///< position of the innermost instrumented frame
  bool begun = false;
  u32 count = 0;
  struct {
    uptr pc;
    uptr stack;
  } found[kMost];
};

/// Called for each frame, innermost first; the first is the unwinder's caller.
_Unwind_Reason_Code look_at(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const uptr pc = real_ip.get()(context);
  if (!walk.begun) {
    walk.begun = pc == walk.caller;  // the event itself has this place
    return _URC_NO_REASON;
  }
  const uptr stack = real_cfa.get()(context) - kBelow;
  if (stack >= walk.innermost || walk.count == Walk::kMost) return _URC_NORMAL_STOP;
  walk.found[walk.count++] = {pc, stack};
  return _URC_NO_REASON;
}

}  // namespace

UnseenFrames::UnseenFrames(CallStack& stack, uptr caller) : stack_(stack), top_(stack.top()) {
  const auto here = reinterpret_cast<uptr>(__builtin_frame_address(0));
  if (top_->stack <= here || top_->stack - here > kFurthest) return;
  if (!is_known(real_backtrace) || !is_known(real_ip) || !is_known(real_cfa)) return;
  Walk walk{.caller = caller, .innermost = top_->stack, .found = {}};
  real_backtrace.get()(look_at, &walk);
  while (walk.count != 0) {
    --walk.count;
    stack.enter(walk.found[walk.count].pc, walk.found[walk.count].stack);
  }
}

}  // namespace omen::rt
