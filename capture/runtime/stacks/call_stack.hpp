/// \file
/// The shadow call stack of one thread, kept by the compiler's calls at function entry and exit.
///
/// It repairs itself. A frame records the machine's stack pointer; the stack grows downwards, so a frame below the
/// current caller's pointer is gone, whether it returned, was left by `longjmp` or unwound by an exception.
///
/// Code that the pass inlines also pushes and pops frames (capture/pass/inlined_frames.cpp) where no repair is needed.
#pragma once

#include <cstddef>

#include "capture/abi/layout.hpp"
#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Has its own cache lines; the first is written at each call.
struct alignas(64) Frame {
  uptr pc;     ///< where the function was called from
  uptr stack;  ///< the machine's stack pointer when it was entered
  u64 node;    ///< its interned node; 0 until it is first requested
  /// The nodes of earlier calls at this position of the stack. The same functions are called repeatedly from the same
  /// places, so most nodes are found here.
  static constexpr u32 kEarlier = 6;
  struct Earlier {
    uptr pc;
    u32 parent;
    u32 node;
  } earlier[kEarlier];

  /// The slot of the node, if the node is cached.
  Earlier& earlier_of(u32 parent) {
    const u64 mixed = (pc ^ (u64{parent} << 20)) * 0x9E3779B97F4A7C15ULL;
    return earlier[(mixed >> 32) * kEarlier >> 32];
  }
};
static_assert(sizeof(Frame) == abi::kFrameSize && offsetof(Frame, pc) == abi::kFramePc &&
              offsetof(Frame, stack) == abi::kFrameStack && offsetof(Frame, node) == abi::kFrameNode);

/// The part that inlined code reads. It pushes a frame itself if the top frame is a caller's and `top_ < last_`;
/// otherwise it calls the runtime.
struct StackTop {
  Frame* top_ = nullptr;
  Frame* last_ = nullptr;  ///< the last frame slot
};
static_assert(offsetof(StackTop, top_) == abi::kStackTop && offsetof(StackTop, last_) == abi::kStackLast);

class CallStack : public StackTop {
 public:
  /// Enough for 48 MiB of the smallest frames; only used pages take memory.
  static constexpr std::size_t kFrames = 1U << 20;

  bool create() {
    frames_ = static_cast<Frame*>(map_memory(kFrames * sizeof(Frame)));
    if (frames_ == nullptr) return false;
    frames_[0].stack = ~uptr{0};
    top_ = floor_ = frames_;
    last_ = frames_ + kFrames - 1;
    return true;
  }

  void destroy() { unmap_memory(frames_, kFrames * sizeof(Frame)); }

  OMEN_INLINE void enter(uptr pc, uptr stack) {
    Frame* frame = top_;
    while (frame->stack <= stack && frame > floor_) --frame;
    if (OMEN_LIKELY(frame < last_)) ++frame;
    frame->pc = pc;
    frame->stack = stack;
    frame->node = 0;
    top_ = frame;
  }

  /// `returns_to` is the return address of the compiler's call. The call may be a tail call, and so a jump: the
  /// function's own frame is gone by then, so `stack` is its caller's, and the call returns to where the function was
  /// called from.
  OMEN_INLINE void leave(uptr stack, uptr returns_to) {
    Frame* frame = top_;
    while (frame->stack < stack && frame > floor_) {
      --frame;
      if (frame[1].pc == returns_to) {
        top_ = frame;
        return;
      }
    }
    if (frame > floor_) --frame;
    top_ = frame;
  }

  /// Pops the frames above this one, which was the top before.
  void cut(Frame* top) { top_ = top; }

  Frame* top() const { return top_; }
  Frame* bottom() const { return frames_; }

  /// A signal handler may run on a stack of its own: frames below the floor are kept until it returns.
  struct Mark {
    Frame* top;
    Frame* floor;
  };
  Mark raise_floor() {
    const Mark mark{top_, floor_};
    floor_ = top_;
    return mark;
  }
  void restore(Mark mark) {
    top_ = mark.top;
    floor_ = mark.floor;
  }
  /// After a jump out of a handler: frames below the floor count again.
  void drop_floor() { floor_ = frames_; }

  /// Drops interned nodes: they belong to another file.
  void forget_nodes() {
    for (Frame* frame = frames_; frame < frames_ + kFrames && (frame <= top_ || frame->pc != 0); ++frame) {
      frame->node = 0;
      for (Frame::Earlier& earlier : frame->earlier) earlier = {};
    }
  }

 private:
  Frame* frames_ = nullptr;
  Frame* floor_ = nullptr;
};

}  // namespace omen::rt
