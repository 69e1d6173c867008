/// \file
/// The order of one analysis at work in the program: its relation and the hard order of `analysis/relations`, behind
/// one interface so that the analysis is chosen when the program starts.
///
/// There is no global lock. A step changes the clocks of its thread, under the clock lock of its slot, and what an
/// object says, under the guard of the object, which the caller holds. Locks that the program holds exclusively could
/// do without that guard; it is uncontended then. `Table` keeps what one thread uses where it is while others add to
/// it.
#pragma once

#include "capture/runtime/detector/threads.hpp"
#include "trace/operation.hpp"

namespace omen::rt::detect {

/// No destructor and no abstract function: both would need the C++ library.
class Order {
 public:
  explicit Order(ThreadSlot* slots) : slots_(slots) {}

  /// Does it follow sections, or happens-before, which orders all sections of a lock?
  virtual bool predicts() const { return false; }
  /// Are a thread's own earlier sections always known to it? Not in WCP.
  virtual bool knows_own_sections() const { return true; }
  virtual bool has_rule_b() const { return false; }

  // The caller holds the object's guard.
  virtual void acquire(Slot, LockId, SectionMode) {}
  virtual void release(Slot, LockId, SectionMode) {}
  virtual void load(Slot, AtomicId, MemoryOrder) {}
  virtual void store(Slot, AtomicId, MemoryOrder) {}
  virtual void rmw(Slot, AtomicId, MemoryOrder) {}
  virtual void arrive(Slot, BarrierId) {}
  virtual void leave(Slot, BarrierId) {}
  virtual void fence(Slot, MemoryOrder) {}

  /// There is an object of that number.
  virtual void make_object(u32 /*number*/) {}
  virtual void forget_object(u32 /*number*/) {}

  /// A thread begins in the slot, which may have had another one: a new local time, and the thread's first.
  virtual Time begin(Slot) { return 0; }
  /// The thread's last local time.
  virtual Time end(Slot) { return 0; }
  virtual void fork(Slot, Slot /*child*/) {}
  /// The thread comes after all that another one has done.
  virtual void join(Slot, Slot /*other*/) {}
  /// The same, up to this local time, after the ends of the sections that the other was in then, if they have ended,
  /// and after what it knows now.
  virtual void follow(Slot, Slot /*other*/, Time) {}

  /// Rules (a) and (b): the thread comes after the section that was released with this clock.
  virtual void order_after(Slot, const VectorClock&) {}
  /// The thread comes after all that happened before.
  virtual void assume_happens_before(Slot) {}
  virtual bool knows(Slot, Epoch) const { return true; }
  /// Says where the thread's clocks are.
  virtual void describe(DetectorThread&) {}

 protected:
  ThreadSlot* slots_;
};

/// By its name; null if there is none of that name.
Order* make_order(const char* analysis, ThreadSlot* slots);

}  // namespace omen::rt::detect
