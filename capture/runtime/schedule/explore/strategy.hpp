/// \file
/// Which thread runs next in a controlled run. Three published strategies behind one interface; nothing here waits or
/// depends on the machine.
///
/// - Random walk: each decision draws uniformly among the threads that can run.
/// - PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of Finding
///   Bugs, ASPLOS 2010. Threads get distinct random priorities; the highest one that can run does. At d-1 steps, drawn
///   uniformly among the first k, the thread that is about to run gets the i-th lowest priority. A run with n threads
///   and k steps meets a bug of depth d with probability 1/(n k^(d-1)) or more. Section 4's treatment of yields: a
///   busy-waiting thread gets a priority below all others. Departure: a step at which only one thread can run is not
///   counted, neither in k. A priority change there takes effect at the next step with a choice, since until then the
///   thread is alone.
/// - POS: Yuan, Yang, Gu, Partial Order Aware Concurrency Sampling, CAV 2018, Algorithm 1. Each pending operation gets
///   a random priority; the highest one that can run does. After it, the operations that race with it get fresh
///   priorities, as does the next operation of its thread.
///
/// Invariant: the choice is a function of the seed and of the calls so far.
#pragma once

#include <cstdint>

#include "capture/runtime/schedule/explore/random.hpp"
#include "trace/point_kind.hpp"

namespace omen::rt::explore {

/// The next operation of a thread.
struct Pending {
  PointKind kind = PointKind::None;
  std::uint64_t object = 0;  ///< 0: none that two threads share
};

/// The operations do not commute: one object, and not both only read it.
constexpr bool races(const Pending& a, const Pending& b) {
  const auto looks = [](PointKind kind) {
    return kind == PointKind::Load || kind == PointKind::LockShared || kind == PointKind::Join;
  };
  return a.object != 0 && a.object == b.object && !(looks(a.kind) && looks(b.kind));
}

enum class StrategyKind : std::uint8_t { Pos, Pct, Random };

class Strategy {
 public:
  static constexpr std::uint32_t kMostThreads = 1024;
  static constexpr std::uint32_t kMostDepth = 16;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  /// `depth` and `steps` are PCT's d and k.
  void begin(StrategyKind kind, std::uint64_t seed, std::uint32_t depth, std::uint64_t steps);
  /// A new thread. Threads are numbered from 0.
  void add(std::uint32_t thread);
  /// The thread has reached its next operation.
  void arrive(std::uint32_t thread, const Pending& pending);
  /// The thread busy-waits: others run first.
  void yield(std::uint32_t thread);

  /// Chooses one of `ready`, in ascending order and not empty: its operation executes now.
  std::uint32_t choose(const std::uint32_t* ready, std::uint32_t count);

  /// Choices so far that had more than one thread to choose from: PCT's steps.
  std::uint64_t steps() const { return step_; }
  Random& random() { return random_; }

 private:
  static constexpr std::uint64_t kInitial = std::uint64_t{1} << 63;  ///< above all others
  static constexpr std::uint64_t kChanged = std::uint64_t{1} << 62;

  std::uint32_t highest(const std::uint32_t* ready, std::uint32_t count) const;

  StrategyKind kind_ = StrategyKind::Pos;
  Random random_;
  std::uint32_t threads_ = 0;
  std::uint64_t step_ = 0;
  std::uint32_t changes_ = 0;
  std::uint64_t change_at_[kMostDepth] = {};  ///< steps, from 1
  std::uint64_t lowest_ = kChanged - 1;       ///< the next priority of a thread that yields
  std::uint64_t priority_[kMostThreads] = {};
  Pending pending_[kMostThreads] = {};
};

}  // namespace omen::rt::explore
