/// \file
/// One analysis at work in the program: the relation, the hard order and the level of `analysis/`, behind one interface
/// so that the analysis is chosen when the program starts.
///
/// Locking. Whatever synchronises runs under the *analysis lock* (analysis_lock.hpp). Accesses that a look at the cell
/// decides do not come here. The others differ:
/// - SmartTrack looks at other threads' sections and clocks: whoever accesses or synchronises is alone;
/// - FTO for happens-before looks at the thread's own clock, and at the cell, whose lock the caller holds: no lock. Who
///   takes a lock, releases it, or uses an atomic changes its own clock and the object's: it is there among others.
#pragma once

#include "capture/runtime/online/analysis_lock.hpp"
#include "capture/runtime/online/cell_host.hpp"
#include "trace/operation.hpp"

namespace omen::rt::online {

enum class SyncKind : u8 { Acquire, AcquireShared, Release, ReleaseShared };

/// No destructor and no abstract function: both would need the C++ library.
class Engine {
 public:
  /// Do lock steps, loads, stores, read-modify-writes and fences touch nothing but what is the thread's own, and the
  /// object?
  virtual bool is_by_object() { return false; }

  /// Takes the analysis lock if it has to.
  virtual void access(OnlineThread&, OnlineVariable&, u64 /*bytes*/, bool /*write*/) {}

  /// The thread accesses what was accessed in this epoch, and one of the two writes: it comes after the sections on
  /// locks that it holds. Takes the analysis lock.
  virtual void learn(OnlineThread&, Epoch) {}
  /// The same of all epochs of the thread up to this one: in any of them it may have accessed it.
  virtual void learn_of_all(OnlineThread&, Epoch) {}

  // Under the analysis lock; the first group among others too, with the object's guard, where it is by object.
  virtual void lock_step(OnlineThread&, u32 /*slot*/, u32 /*lock*/, SyncKind) {}
  virtual void load(OnlineThread&, u32 /*atomic*/, MemoryOrder) {}
  virtual void store(OnlineThread&, u32 /*atomic*/, MemoryOrder) {}
  virtual void rmw(OnlineThread&, u32 /*atomic*/, MemoryOrder) {}
  virtual void fence(OnlineThread&, MemoryOrder) {}

  /// The thread comes after what the other one did up to this time, and after what that one knows now.
  virtual void follow(OnlineThread&, u32 /*slot*/, Time) {}

  virtual void fork(OnlineThread&, u32 /*child*/) {}
  virtual void join(OnlineThread&, u32 /*child*/) {}
  virtual void arrive(OnlineThread&, u32 /*barrier*/) {}
  virtual void leave(OnlineThread&, u32 /*barrier*/) {}
  /// There is an object of that number.
  virtual void make_object(u32 /*number*/) {}
  virtual void forget_object(u32 /*number*/) {}
  /// A thread begins in the slot, which may have had another one: a new local time, and the thread's first.
  virtual Time begin(u32 /*slot*/) { return 0; }
  /// The thread's last local time.
  virtual Time end(u32 /*slot*/) { return 0; }
  virtual bool knows(u32 /*slot*/, Epoch) { return true; }
  virtual bool knows_by_happens_before(u32 /*slot*/, Epoch) { return true; }
  /// Puts what a thread may use without the lock into its `OnlineThread`.
  virtual void publish(OnlineThread&) {}
  /// Drops what can no longer matter, now and then.
  virtual void collect() {}

  // Ancillary sections; take the analysis lock.
  virtual void forget_ancillary(OnlineVariable&) {}
  virtual void clone_ancillary(OnlineVariable&) {}

  virtual RuleCounters counters() { return {}; }
  virtual u64 sections() { return 0; }
  virtual u64 ancillary_sections() { return 0; }
};

extern AnalysisLock analysis_lock;

/// By its name; null if there is none of that name.
Engine* make_engine(const char* analysis);

}  // namespace omen::rt::online
