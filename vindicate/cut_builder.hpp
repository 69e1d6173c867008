/// \file
/// Least sets of events that are closed under program order and needs, represented by a prefix length per thread.
///
/// A worklist over prefixes: an event that joins the set requests the prefixes up to its needs. Every K-th event of a
/// thread has a *checkpoint*, the closed set of its prefix, so that a long prefix costs one join and at most K steps
/// instead of its length. No event is visited twice, so the cost never exceeds the size of the set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

/// The closed sets of the prefixes of length K, 2K, … of each thread.
class Checkpoints {
 public:
  explicit Checkpoints(const TraceIndex& index);

  std::uint32_t spacing() const { return spacing_; }
  /// The closed set of the thread's first n * spacing() events; n > 0. Empty if not built yet.
  std::span<const std::uint32_t> at(std::size_t thread, std::uint32_t n) const {
    const std::size_t id = first_[thread] + n - 1;
    if (id >= first_[thread + 1] || !made_[id]) return {};
    return std::span(clocks_).subspan(id * threads_, threads_);
  }

 private:
  std::size_t threads_;
  std::uint32_t spacing_;
  std::vector<std::size_t> first_;  ///< checkpoint of each thread
  std::vector<bool> made_;
  std::vector<std::uint32_t> clocks_;
};

class CutBuilder {
 public:
  /// `checkpoints` may be null: then every event is visited.
  CutBuilder(const TraceIndex& index, const Checkpoints* checkpoints);

  /// Restarts with the empty set. No event at or beyond `limit` of a thread may join it; requesting one fails, or is
  /// ignored if `lenient`.
  void start(const Cut& limit, bool lenient = false);

  /// Requests the first `length` events of a thread.
  void want(std::size_t thread, std::uint32_t length) {
    if (cut_[thread] >= length || failed_) return;
    if (length > limit_[thread]) {
      failed_ = !lenient_;
      return;
    }
    work_.push_back({thread, length});
  }
  void want(EventNo e) { want(index_.thread(e), index_.position(e) + 1); }

  /// Closes the set under needs. False if it failed.
  bool close();
  /// Also closes it under this rule: of two rival sections that are both entered, the earlier ends. Earlier refers to
  /// the trace, except that sections of thread `last` that start at its event number `from` or later come after all
  /// others. False if it failed.
  bool close_in_order(std::size_t last = kNone, std::uint32_t from = 0);
  /// Also closes it under this rule: a section that is entered ends, if it can. Only with `lenient`.
  void close_with_ends();

  const Cut& cut() const { return cut_; }
  /// Events visited, and checkpoint entries joined, since the builder was created.
  std::uint64_t work() const { return steps_; }

 private:
  struct Work {
    std::size_t thread;
    std::uint32_t length;
  };

  template <class Rule>
  bool close_with_locks(Rule rule);
  void jump(const Work& work);
  bool ends_within(const Section& section, std::size_t thread) const {
    return section.end != kNone && index_.position(section.end) < cut_[thread];
  }
  const Section* last_entered(std::uint32_t slot) const {
    return entered_[slot] == 0 ? nullptr : &index_.sections(slot)[entered_[slot] - 1];
  }
  void end_rivals(LockId m, std::size_t last, std::uint32_t from);

  const TraceIndex& index_;
  const Checkpoints* checkpoints_;
  Cut cut_;
  Cut limit_;
  bool lenient_ = false;
  bool failed_ = false;
  std::uint64_t steps_ = 0;
  std::vector<Work> work_;
  Cut seen_;                          ///< the cut that `entered_` describes
  std::vector<std::size_t> entered_;  ///< for each slot, the number of entered sections
};

}  // namespace omen::vindicate
