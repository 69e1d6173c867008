/// \file
/// The order that OpenMP's constructs give, as releases and acquires of objects. An OpenMP runtime synchronises by
/// system calls and atomics of its own, which nobody sees; the hooks of its functions (libgomp_hooks.cpp) say here what
/// the constructs mean.
///
/// - A parallel region: its creator releases `fork`, which each member acquires. Each member releases `end`, which the
///   creator acquires.
/// - A barrier: each member releases before it, and acquires after it, the object of the barrier's number modulo 2: a
///   member that has left a barrier may arrive at the next one before another has acquired this one.
/// - A task: its creator releases an object of the task's own, which the task acquires. At its end it releases what
///   `taskwait`, the end of a task group, a dependent task, and the barrier at which it runs acquire.
///
/// Objects are numbers beyond the memory of the program. Those of a region belong to the thread that creates it and to
/// the region's depth; the next region there finds only what has been joined. Those of tasks are used again after
/// `kRing` others; then they order more than there is, which hides races and makes none.
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

/// What a task carries from its creator to whoever runs it.
struct TaskOrigin {
  Team team;
  Object created = 0;   ///< released by the creator
  Object siblings = 0;  ///< released at the end; the creator's `taskwait` acquires it
  Object group = 0;     ///< the same of the innermost task group
};

/// The task that the thread is in, and where in its region it is.
struct Context {
  Team team;
  u32 depth = 0;        ///< of regions
  u32 barriers = 0;     ///< that the thread has left in this region
  bool waits = false;   ///< in a barrier, where it runs tasks
  Object children = 0;  ///< 0: the task has made none
  Object group = 0;     ///< the innermost task group
  u32 groups = 0;       ///< how many are open in the thread
};

/// Begins what is called on behalf of the runtime: the code of a region or a task. While it lives the thread is in its
/// context; behind it, in the one before.
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

/// The objects of a region that this thread is about to create.
Team new_team();
/// The context of a member of that region.
Context member_of(Team team, u32 depth);
u32 depth();
/// The region has ended, and with it its tasks.
void leave_region(Team team, uptr pc);

void arrive_at_barrier(uptr pc);
void leave_barrier(uptr pc);
Team current_team();

TaskOrigin create_task(uptr pc);
Context task_context(const TaskOrigin& origin);
void begin_task(const TaskOrigin& origin, const Dependence* dependences, u64 count);
void end_task(const TaskOrigin& origin, const Dependence* dependences, u64 count);
void acquire_dependences(const Dependence* dependences, u64 count, uptr pc);
/// The tasks that this one has made have ended.
void join_children(uptr pc);
/// Tasks from here on may end by an event, which another thread says has happened: whoever waits for tasks comes after
/// all events so far.
void expect_events();
void fulfill_event(uptr pc);
void begin_group();
void end_group(uptr pc);

}  // namespace omen::rt::openmp
