/// \file
/// The interpreter: a program's state, and small steps. One step of a thread is one visible event (an access to shared
/// memory, lock, unlock, spawn, wait) and all local instructions after it, up to the next visible one. So a thread that
/// can run is always *at* its next visible event.
///
/// Run-time errors are events too: the thread is at its fault, and executing the fault ends the program. An explorer
/// need not execute it: other threads may run arbitrarily long before it.
///
/// The program assigns thread numbers, and a thread's n-th object is the same reference in every schedule. So two runs
/// in which a thread executes the same events give its threads, objects and cells the same names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mini/code.hpp"

namespace omen::mini {

using ThreadNumber = std::uint32_t;

/// The kind of a thread's next visible event.
enum class Action : std::uint8_t { Load, Store, Lock, Unlock, Spawn, Wait, Fault, End, Unborn };

enum class Fault : std::uint8_t {
  None,
  Assertion,
  DivisionByZero,
  Index,
  Null,
  NotHeld,      ///< unlock of a lock that the thread does not hold
  BadThread,    ///< a number not from 1 to kMaxThread, or one that cannot be waited for
  ThreadTwice,  ///< a second thread of that number
  CallDepth,
  Objects,  ///< more than the limit of cells
  Endless,  ///< too many local instructions without a visible event
};
std::string_view text(Fault fault);

/// A memory cell, of the shared variables (reference 0) or of an object. It is the same in every schedule.
struct CellId {
  std::uint32_t reference = 0;
  std::uint32_t offset = 0;
  auto operator<=>(const CellId&) const = default;
};

/// A thread's next visible event.
struct Next {
  Action action = Action::Unborn;
  Fault fault = Fault::None;
  const Instruction* instruction = nullptr;  ///< none at End and Unborn
  CellId cell;                               ///< of an access, lock and unlock
  std::uint32_t at = 0;                      ///< that cell's index in memory
  ThreadNumber thread = 0;                   ///< of a spawn and wait
  std::uint64_t value = 0;                   ///< of a store
};
constexpr bool is_access(Action action) {
  return action == Action::Load || action == Action::Store;
}

class Machine;

/// Observes the steps of a machine. The recorder is one.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Before a local instruction that is not a choice.
  virtual void local(const Machine&, ThreadNumber, const Instruction&) {}
  /// At a choice: returns which way it goes; false at an Assert or a NotZero means its fault. `holds` is the way that
  /// its condition decides.
  virtual bool choose(const Machine&, ThreadNumber, const Instruction&, bool holds) { return holds; }
  /// Before a visible event; `value` is the result of a load.
  virtual void visible(const Machine&, ThreadNumber, const Next&, std::uint64_t value) { (void)value; }
  virtual void spawned(const Machine&, ThreadNumber) {}
  virtual void ended(const Machine&, ThreadNumber) {}
};

class Machine {
 public:
  struct Limits {
    std::uint32_t call_depth = 200;
    std::uint32_t local_instructions = 1U << 20;  ///< between two visible events
    std::uint32_t cells = 1U << 24;               ///< of all objects
  };

  /// `code` outlives the machine.
  explicit Machine(const Code& code) : Machine(code, Limits{}, nullptr) {}
  Machine(const Code& code, Limits limits, Observer* observer);

  const Code& code() const { return *code_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(threads_.size()); }  ///< one more than the largest
  const Next& next(ThreadNumber t) const { return threads_[t].next; }
  /// True if it can perform a step now; also at a fault.
  bool enabled(ThreadNumber t) const;
  /// Performs the step of an enabled thread.
  void step(ThreadNumber t, Observer* observer = nullptr);

  /// A fault was executed: the program has stopped.
  bool stopped() const { return stopped_; }
  bool finished() const;  ///< all threads have ended

  // For observers.
  std::uint64_t reg(ThreadNumber t, std::uint32_t r) const {
    const Thread& thread = threads_[t];
    return thread.registers[thread.frames.back().base + r];
  }
  std::uint64_t memory(std::uint32_t at) const { return memory_[at]; }
  std::size_t depth(ThreadNumber t) const { return threads_[t].frames.size(); }
  const Routine& routine(ThreadNumber t) const { return code_->routines[threads_[t].frames.back().routine]; }
  std::uint32_t objects(ThreadNumber t) const { return static_cast<std::uint32_t>(threads_[t].objects.size()); }
  static std::uint32_t reference(ThreadNumber t, std::uint32_t nth) { return (t << 24) | nth; }

  /// For running one thread out of turn: frees the locks of the others, and treats the threads in `ended` as ended.
  void detach(ThreadNumber t, const std::vector<bool>& ended);

  /// `x`, `a[3]`, `Node@2.1.next`.
  std::string cell_name(const Instruction& access, CellId cell) const;
  /// The whole state as a string, equal for equal states: memory, and each thread's continuation.
  std::string key() const;
  std::size_t bytes() const;  ///< approximate size of a copy
  /// The values of the shared variables.
  std::vector<std::uint64_t> shared() const;

 private:
  struct Frame {
    std::uint32_t routine;
    std::uint32_t pc;
    std::uint32_t base;    ///< of its registers
    std::uint32_t result;  ///< the caller's register
  };
  struct Object {
    std::uint32_t structure;
    std::uint32_t first;  ///< in memory
  };
  struct Thread {
    Next next;
    std::vector<Frame> frames;
    std::vector<std::uint64_t> registers;
    std::vector<Object> objects;
  };

  void start(ThreadNumber t, std::uint32_t routine, const std::vector<std::uint64_t>& arguments, Observer* observer);
  /// Executes local instructions until the thread is at a visible event, a fault or its end.
  void advance(ThreadNumber t, Observer* observer);
  bool execute(ThreadNumber t, const Instruction& i, Observer* observer);
  void arrive(ThreadNumber t, const Instruction& i);
  bool call(Thread& thread, const Instruction& i);
  bool allocate(ThreadNumber t, const Instruction& i);
  void fault(Thread& thread, Fault fault, const Instruction& i) {
    thread.next = {};
    thread.next.action = Action::Fault;
    thread.next.fault = fault;
    thread.next.instruction = &i;
  }
  std::uint64_t& reg(Thread& thread, std::uint32_t r) { return thread.registers[thread.frames.back().base + r]; }

  const Code* code_;
  Limits limits_;
  std::vector<Thread> threads_;
  std::vector<std::uint64_t> memory_;  ///< shared variables, then objects in the order of their creation
  bool stopped_ = false;
};

/// `main`, `T3`.
std::string thread_name(ThreadNumber t);
std::optional<ThreadNumber> thread_named(std::string_view name);
/// `p.mini:3:7`.
std::string location_text(const Code& code, Position at);

}  // namespace omen::mini
