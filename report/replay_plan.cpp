#include "report/replay_plan.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/describe.hpp"
#include "report/source_map.hpp"
#include "trace/check.hpp"

namespace omen::report {
namespace {

/// Longer orders get no plan: a report with them would be unreadable, and its replay would take too long.
constexpr std::size_t kMostSteps = 200'000;

}  // namespace

class ReplayPlanner::Builder {
 public:
  explicit Builder(const ReplayPlanner& of) : of_(of) {
    for (const Module& module : of.info_.modules) plan_.modules.push_back({module.path, module.build_id});
    plan_.places.emplace_back();
    plan_.threads = of.threads_;
  }

  /// Adds the scheduling points in `order`, except those of the events `held`, which the order does not execute.
  bool add_steps(std::span<const std::uint32_t> order, std::span<const std::uint64_t> held) {
    std::vector<std::uint32_t> racing;
    for (const std::uint64_t event : held) racing.push_back(own_point(event));
    std::vector<std::pair<std::size_t, std::uint32_t>> last;  // for each point the position of its last event
    std::unordered_map<std::uint32_t, std::size_t> known;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t point = own_point(order[i]);
      if (point == 0 || std::ranges::find(racing, point) != racing.end()) continue;
      const auto [at, is_new] = known.try_emplace(point, last.size());
      if (is_new) last.emplace_back(i, point);
      last[at->second].first = i;
    }
    if (last.size() > kMostSteps) return false;
    std::ranges::sort(last);
    for (const auto& [position, point] : last) {
      const Event& event = of_.trace_.events[order[position]];
      plan_.steps.push_back({.thread = static_cast<std::uint32_t>(event.thread),
                             .place = place(event),
                             .kind = of_.info_.points[point - 1].kind});
    }
    return true;
  }

  void add_departure(std::uint64_t access) {
    plan_.steps.push_back({.thread = static_cast<std::uint32_t>(of_.trace_.events[access].thread)});
  }

  void add_target(std::size_t side, std::uint64_t at, bool passes) {
    const Event& event = of_.trace_.events[at];
    ReplayPlan::Target& target = plan_.targets[side];
    target.thread = static_cast<std::uint32_t>(event.thread);
    target.place = place(event);
    target.at_point = own_point(at) != 0;
    target.passes = passes;
    if (const auto found = parse_place(of_.trace_.names.of(event.variable()))) {
      target.memory = memory(found->address, std::max<std::uint64_t>(found->size, 1), at);
    }
  }

  void add_wait(std::uint64_t request) {
    const Event& event = of_.trace_.events[request];
    plan_.waits.push_back({static_cast<std::uint32_t>(event.thread), place(event)});
  }

  ReplayPlan take() { return std::move(plan_); }

 private:
  /// The point that the event belongs to, from 1, if the point is the event's own thread's; else 0.
  std::uint32_t own_point(std::uint64_t event) const {
    const std::uint32_t point = of_.point_of_[event];
    return point != 0 && of_.info_.points[point - 1].thread == of_.trace_.events[event].thread ? point : 0;
  }

  std::uint32_t place(const Event& event) {
    return place_of_node(static_cast<std::uint32_t>(event.location) & ~kNumericLocation);
  }
  std::uint32_t place_of_node(std::uint32_t node) {
    if (node == 0 || node >= of_.info_.stacks.size()) return 0;
    const std::uint64_t pc = of_.info_.stacks[node].pc;
    const auto module = module_at(pc);
    if (!module) return 0;
    const ReplayPlan::Place wanted{*module, pc - of_.info_.modules[*module].bias};
    const auto [at, is_new] =
        places_.try_emplace({wanted.module, wanted.offset}, static_cast<std::uint32_t>(plan_.places.size()));
    if (is_new) plan_.places.push_back(wanted);
    return at->second;
  }
  std::optional<std::uint32_t> module_at(std::uint64_t address) const {
    for (std::size_t i = 0; i < of_.info_.modules.size(); ++i) {
      const Module& module = of_.info_.modules[i];
      if (module.begin <= address && address < module.end) return static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
  }

  ReplayPlan::Memory memory(std::uint64_t address, std::uint64_t bytes, std::uint64_t event) {
    using Kind = ReplayPlan::MemoryKind;
    const CaptureInfo& info = of_.info_;
    ReplayPlan::Memory memory{.bytes = bytes};
    if (const auto module = module_at(address)) {
      memory.kind = Kind::Global;
      memory.owner = *module;
      memory.offset = address - info.modules[*module].bias;
      return memory;
    }
    for (std::size_t i = info.blocks.size(); i-- > 0;) {
      const HeapBlock& block = info.blocks[i];
      if (block.event > event || address < block.address || address >= block.address + block.size) continue;
      memory.kind = Kind::Heap;
      memory.owner = static_cast<std::uint32_t>(block.thread);
      memory.place = place_of_node(block.stack);
      const auto same = [&](const HeapBlock& other) {
        return other.thread == block.thread && pc_of(other.stack) == pc_of(block.stack);
      };
      memory.nth = static_cast<std::uint32_t>(
          std::count_if(info.blocks.begin(), info.blocks.begin() + static_cast<std::ptrdiff_t>(i), same));
      memory.offset = address - block.address;
      if (memory.place == 0) memory.kind = Kind::Any;
      return memory;
    }
    for (const omen::ThreadStack& stack : info.thread_stacks) {
      if (address < stack.begin || address >= stack.end) continue;
      memory.kind = Kind::Stack;
      memory.owner = static_cast<std::uint32_t>(stack.thread);
      memory.offset = stack.end - address;
      return memory;
    }
    if (is_on_first_stack(info, address)) {
      memory.kind = Kind::Stack;
      memory.offset = info.first_frame - address;
    }
    return memory;
  }
  std::uint64_t pc_of(std::uint32_t node) const {
    return node < of_.info_.stacks.size() ? of_.info_.stacks[node].pc : 0;
  }

  const ReplayPlanner& of_;
  ReplayPlan plan_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> places_;
};

ReplayPlanner::ReplayPlanner(const Trace& trace, const CaptureInfo& info)
    : trace_(trace), info_(info), point_of_(info.points.empty() ? 0 : trace.size(), 0), threads_(trace.threads()) {
  if (point_of_.empty()) return;
  for (std::size_t i = 0; i < info.points.size(); ++i) {
    const SchedulingPoint& point = info.points[i];
    for (std::uint64_t event = point.event; event < point.event + point.events && event < trace.size(); ++event) {
      if (trace.events[event].thread == point.thread) point_of_[event] = static_cast<std::uint32_t>(i + 1);
    }
  }
  std::vector<std::uint32_t> created(trace.threads(), 0);
  std::vector<bool> known(trace.threads(), false);
  for (const Event& event : trace.events) {
    if (event.op != Op::Fork) continue;
    const auto creator = static_cast<std::uint32_t>(event.thread);
    threads_[static_cast<std::uint32_t>(event.target())] = {creator, created[creator]++};
    known[static_cast<std::uint32_t>(event.target())] = true;
  }
  for (std::size_t i = 1; i < known.size(); ++i) all_threads_known_ &= known[i];
}

std::expected<void, std::string> ReplayPlanner::possible() const {
  if (point_of_.empty()) return std::unexpected("the trace does not say where threads synchronised");
  if (!all_threads_known_) return std::unexpected("a thread was not seen to be created");
  return {};
}

std::expected<ReplayPlan, std::string> ReplayPlanner::plan_deadlock(std::span<const std::uint32_t> order,
                                                                    std::span<const std::uint64_t> requests) const {
  if (auto can = possible(); !can) return std::unexpected(std::move(can.error()));
  Builder builder(*this);
  if (!builder.add_steps(order, {})) return std::unexpected("the schedule is too long");
  for (const std::uint64_t request : requests) builder.add_wait(request);
  return builder.take();
}

std::expected<ReplayPlan, std::string> ReplayPlanner::plan_departure(std::span<const std::uint32_t> order,
                                                                     const std::array<std::uint64_t, 2>& pair,
                                                                     std::size_t departs_at) const {
  if (auto can = possible(); !can) return std::unexpected(std::move(can.error()));
  Builder builder(*this);
  const auto [earlier, later] = std::minmax(pair[0], pair[1]);
  const std::array held{later, earlier};
  const std::size_t before = std::min(departs_at, order.size());
  bool fits = builder.add_steps(order.first(before), held);
  builder.add_departure(later);
  fits = fits && builder.add_steps(order.subspan(before), held);
  if (!fits) return std::unexpected("the schedule is too long");
  builder.add_target(0, later, false);
  builder.add_target(1, earlier, false);
  return builder.take();
}

std::expected<ReplayPlan, std::string> ReplayPlanner::plan(std::span<const std::uint32_t> order,
                                                           const std::array<std::uint64_t, 2>& pair,
                                                           bool first_passes) const {
  if (auto can = possible(); !can) return std::unexpected(std::move(can.error()));
  Builder builder(*this);
  // In the order of the report's accesses: the later one of the recorded run first.
  const auto [earlier, later] = std::minmax(pair[0], pair[1]);
  const std::array held{later, earlier};
  if (!builder.add_steps(order, std::span(held).first(first_passes ? 1 : 2))) {
    return std::unexpected("the schedule is too long");
  }
  builder.add_target(0, later, false);
  builder.add_target(1, earlier, first_passes);
  return builder.take();
}

}  // namespace omen::report
