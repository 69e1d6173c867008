/// \file
/// The order that OpenMP's constructs imply, as releases and acquires of objects. An OpenMP runtime synchronises with
/// system calls and atomics that omen does not see. The hooks of its functions (libgomp_hooks.cpp) report the semantics
/// of the constructs here.
///
/// - A parallel region: its creator releases `fork`, which each member acquires. Each member releases `end`, which the
///   creator acquires.
/// - A barrier: each member releases before it, and acquires after it, the object of the barrier's number modulo 2. A
///   member that has left a barrier may arrive at the next one before another member has acquired this one.
/// - A task: its creator releases an object of the task's own, which the task acquires. At its end it releases what
///   `taskwait`, the end of a task group, a dependent task, and the barrier at which it runs acquire.
///
/// Objects are numbers beyond the memory of the program. Those of a region belong to the thread that creates it and to
/// the region's depth; the next region there finds only joined order. Objects of tasks are reused after `kRing` others.
/// The reuse adds order, which can hide races and cannot cause false ones.
#pragma once

#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::openmp {

using Object = uptr;  ///< 0: none

/// The objects of a region, consecutive numbers.
struct Team {
  Object base = 0;

  Object fork() const { return base; }
  Object end() const { return base + 1; }
  Object barrier(u32 number) const { return base + 2 + number % 2; }
  Object ordered() const { return base + 4; }
  Object copy() const { return base + 5; }
  static constexpr Object kObjects = 8;
  friend bool operator==(Team, Team) = default;
};

/// A dependence of a task: the address that it names, and whether the task waits for readers too.
struct Dependence {
  uptr address;
  bool writes;
};

/// What a task carries from its creator to the thread that runs it.
struct TaskOrigin {
  Team team;
  Object created = 0;   ///< released by the creator
  Object siblings = 0;  ///< released at the end; the creator's `taskwait` acquires it
  Object group = 0;     ///< the same for the innermost task group
};

/// The thread's current task, and its position in the region.
struct Context {
  Team team;
  u32 depth = 0;        ///< nesting depth of regions
  u32 barriers = 0;     ///< barriers that the thread has left in this region
  bool waits = false;   ///< it is in a barrier, where it runs tasks
  Object children = 0;  ///< 0: the task has created none
  Object group = 0;     ///< the innermost task group
  u32 groups = 0;       ///< number of open groups in the thread
};

/// Runs code called on behalf of the runtime: the body of a region or a task. While it lives the thread is in its
/// context; afterwards in the previous one.
class Scope {
 public:
  explicit Scope(const Context& context);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Context before_;
  uptr library_frame_ = 0;
};

void release(Object object, uptr pc);
void acquire(Object object, uptr pc);

/// Allocates the objects of a region that this thread is about to create.
Team new_team();
/// The context of a member of that region.
Context member_of(Team team, u32 depth);
u32 depth();
/// The region and its tasks have ended.
void leave_region(Team team, uptr pc);

void arrive_at_barrier(uptr pc);
void leave_barrier(uptr pc);
Team current_team();

TaskOrigin create_task(uptr pc);
Context task_context(const TaskOrigin& origin);
void begin_task(const TaskOrigin& origin, const Dependence* dependences, u64 count);
void end_task(const TaskOrigin& origin, const Dependence* dependences, u64 count);
void acquire_dependences(const Dependence* dependences, u64 count, uptr pc);
/// The child tasks of this one have ended.
void join_children(uptr pc);
/// From here on, an event that another thread fulfils may end tasks: a wait for tasks is ordered after all events so
/// far.
void expect_events();
void fulfill_event(uptr pc);
void begin_group();
void end_group(uptr pc);

}  // namespace omen::rt::openmp
