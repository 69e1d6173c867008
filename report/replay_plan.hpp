/// \file
/// What a run has to do to show a race or a deadlock: the witness as scheduling points, named so that another run of
/// the same program can be led by it, and the two accesses, or where the threads of the deadlock wait (docs/replay.md).
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
  /// A return address as module and offset. Place 0 is no place.
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
  /// The `nth` thread that its creator creates, from 0. Of the first thread both are 0.
  struct Thread {
    std::uint32_t creator = 0;
    std::uint32_t nth = 0;
    bool operator==(const Thread&) const = default;
  };
  /// Without a kind: a racing thread departs here, to go where no recording says until it stands at its access.
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
    std::uint32_t owner = 0;   ///< the module, the thread that allocates, or the thread whose stack it is
    std::uint32_t place = 0;   ///< of the allocation
    std::uint32_t nth = 0;     ///< of the blocks that the thread allocates at the place, from 0
    std::uint64_t offset = 0;  ///< in the module or block; below the top of the stack
    std::uint64_t bytes = 0;
    bool operator==(const Memory&) const = default;
  };
  /// In the order of `Race::accesses`.
  struct Target {
    std::uint32_t thread = 0;
    std::uint32_t place = 0;
    bool at_point = false;  ///< it is a synchronisation itself
    bool passes = false;    ///< it is not held: the order of the two is part of the steps
    Memory memory;
    bool operator==(const Target&) const = default;
  };

  /// Where a thread of a deadlock makes its request.
  struct Wait {
    std::uint32_t thread = 0;
    std::uint32_t place = 0;
    bool operator==(const Wait&) const = default;
  };

  std::vector<Module> modules;  ///< the first is the program
  std::vector<Place> places;    ///< by number
  std::vector<Thread> threads;  ///< by their ids in the report
  std::vector<Step> steps;
  std::array<Target, 2> targets;  ///< of a race
  std::vector<Wait> waits;        ///< of a deadlock, in the order of `Deadlock::waiting`

  bool operator==(const ReplayPlan&) const = default;
};

inline constexpr std::array<std::string_view, 4> kMemoryKindNames{"any", "global", "heap", "stack"};

/// What all plans of a trace have in common is found once.
class ReplayPlanner {
 public:
  /// Both outlive it.
  ReplayPlanner(const Trace& trace, const CaptureInfo& info);

  /// `order` is a witness without its pair, or a part of the trace; `passes`: the first of the pair is among it. The
  /// reason why there is no plan, else.
  std::expected<ReplayPlan, std::string> plan(std::span<const std::uint32_t> order,
                                              const std::array<std::uint64_t, 2>& pair, bool first_passes) const;
  /// The same where the later one of the pair is on no recorded way: its thread departs when `departs_at` events of
  /// `order` were made.
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
  std::vector<std::uint32_t> point_of_;  ///< by event: the point, from 1
  std::vector<ReplayPlan::Thread> threads_;
  bool all_threads_known_ = true;
};

}  // namespace omen::report
