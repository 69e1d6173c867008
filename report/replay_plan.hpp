/// \file
/// The plan for a run that shows a race or a deadlock: the witness as scheduling points, named so that another run of
/// the same program can follow them, and the two accesses, or the requests of the deadlock (docs/replay.md).
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/capture_info.hpp"
#include "trace/point_kind.hpp"
#include "trace/trace.hpp"

namespace omen::report {

struct ReplayPlan {
  /// A return address as module and offset. Number 0 stands for no place.
  struct Place {
    std::uint32_t module = 0;
    std::uint64_t offset = 0;
    bool operator==(const Place&) const = default;
  };
  struct Module {
    std::string path;
    std::string build_id;
    bool operator==(const Module&) const = default;
  };
  /// The `nth` thread that its creator creates, from 0. For the first thread both are 0.
  struct Thread {
    std::uint32_t creator = 0;
    std::uint32_t nth = 0;
    bool operator==(const Thread&) const = default;
  };
  /// A step without a kind is a departure: a racing thread leaves the recorded path here, and runs freely until it
  /// reaches its access.
  struct Step {
    std::uint32_t thread = 0;
    std::uint32_t place = 0;
    PointKind kind = PointKind::None;
    bool operator==(const Step&) const = default;
  };
  enum class MemoryKind : std::uint8_t {
    Any,
    Global,
    Heap,
    Stack
  };  ///< numbered as in capture/runtime/schedule/plan.hpp
  struct Memory {
    MemoryKind kind = MemoryKind::Any;
    std::uint32_t owner = 0;   ///< the module, the allocating thread, or the thread that owns the stack
    std::uint32_t place = 0;   ///< of the allocation
    std::uint32_t nth = 0;     ///< index among the blocks that the thread allocates at the place, from 0
    std::uint64_t offset = 0;  ///< in the module or block; on a stack: below its top
    std::uint64_t bytes = 0;
    bool operator==(const Memory&) const = default;
  };
  /// In the order of `Race::accesses`.
  struct Target {
    std::uint32_t thread = 0;
    std::uint32_t place = 0;
    bool at_point = false;  ///< the access is itself a synchronisation
    bool passes = false;    ///< not held: the steps contain the order of the two accesses
    Memory memory;
    bool operator==(const Target&) const = default;
  };

  /// The location of a request of the deadlock.
  struct Wait {
    std::uint32_t thread = 0;
    std::uint32_t place = 0;
    bool operator==(const Wait&) const = default;
  };

  std::vector<Module> modules;  ///< the program comes first
  std::vector<Place> places;    ///< indexed by number
  std::vector<Thread> threads;  ///< indexed by the ids in the report
  std::vector<Step> steps;
  std::array<Target, 2> targets;  ///< of a race
  std::vector<Wait> waits;        ///< of a deadlock, in the order of `Deadlock::waiting`

  bool operator==(const ReplayPlan&) const = default;
};

inline constexpr std::array<std::string_view, 4> kMemoryKindNames{"any", "global", "heap", "stack"};

/// Makes plans. Computes once what all plans of a trace share.
class ReplayPlanner {
 public:
  /// `trace` and `info` must outlive the planner.
  ReplayPlanner(const Trace& trace, const CaptureInfo& info);

  /// `order` is a witness without its pair, or a prefix of the trace; `passes`: it contains the first access of the
  /// pair. On failure: why there is no plan.
  std::expected<ReplayPlan, std::string> plan(std::span<const std::uint32_t> order,
                                              const std::array<std::uint64_t, 2>& pair, bool first_passes) const;
  /// The same if the later access of the pair is on no recorded path: its thread departs after `departs_at` events of
  /// `order`.
  std::expected<ReplayPlan, std::string> plan_departure(std::span<const std::uint32_t> order,
                                                        const std::array<std::uint64_t, 2>& pair,
                                                        std::size_t departs_at) const;
  /// `order` is a witness without its requests.
  std::expected<ReplayPlan, std::string> plan_deadlock(std::span<const std::uint32_t> order,
                                                       std::span<const std::uint64_t> requests) const;

 private:
  class Builder;

  std::expected<void, std::string> possible() const;

  const Trace& trace_;
  const CaptureInfo& info_;
  std::vector<std::uint32_t> point_of_;  ///< event → its point, from 1
  std::vector<ReplayPlan::Thread> threads_;
  bool all_threads_known_ = true;
};

}  // namespace omen::report
