/// \file
/// What plain traces and value traces have in common when an execution is made of them: program order, fork and join,
/// critical sections, cells and their last writers, and the needs of CA.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "relax/execution.hpp"

namespace omen::relax {

class ExecutionBuilder {
 public:
  ExecutionBuilder(std::size_t threads, std::size_t cells);

  /// From here on, events are items; those before were executed in the recorded order.
  void open_window() { open_ = true; }

  /// An event that other threads can notice, with what its thread computed since the last one. Returns its item; before
  /// the window `kInitial`, without a trace in the execution.
  std::uint32_t visible(std::uint32_t event, const Event& what);

  void guard(std::uint32_t thread, values::ExprId expr, std::uint64_t expected, bool branch);

  void reads(std::uint32_t item, std::uint32_t cell);
  void writes(std::uint32_t item, std::uint32_t cell);
  /// CA: the item keeps its order with conflicting accesses to its cell. After `reads` and `writes`.
  void keeps_order(std::uint32_t item);
  /// CA: a new life of the cell begins; what was before conflicts with nothing.
  void forget_order(std::uint32_t cell) { touched_[cell] = {}; }

  void acquire(std::uint32_t item, std::uint32_t thread, std::uint32_t lock, bool shared, std::uint32_t depth = 1);
  /// Returns the depth that was left. 0 where the lock is not held.
  std::uint32_t release(std::uint32_t item, std::uint32_t thread, std::uint32_t lock, bool wholly);

  void fork(std::uint32_t item, std::uint32_t child);
  void never_forked(std::uint32_t child) { fork_[child] = kNever; }
  void join(std::uint32_t item, std::uint32_t child);
  void needs(std::uint32_t item, std::uint32_t other);

  std::uint32_t last_writer(std::uint32_t cell) const { return last_writer_[cell]; }
  Item& at(std::uint32_t item) { return out_.items[item]; }

  /// Joins are resolved now: all items of a thread are known.
  Execution finish();

  Execution& execution() { return out_; }

 private:
  static constexpr std::uint32_t kNever = kNone - 2;

  struct Held {
    std::uint32_t section;
    std::uint32_t depth;
  };
  /// What later accesses to a cell must follow under CA.
  struct Touched {
    std::uint32_t write = kInitial;
    std::vector<std::uint32_t> reads;  ///< since that write
  };

  bool open_ = false;
  Execution out_;
  std::vector<std::vector<Guard>> pending_;  ///< of each thread: since its last item
  std::vector<std::uint32_t> fork_;          ///< of each thread: the item, `kInitial` if none is needed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joins_;
  std::vector<std::uint32_t> last_writer_;
  std::vector<Touched> touched_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Held> held_;  ///< by thread and lock
};

}  // namespace omen::relax
