#include "test/online/traces/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>

namespace omen::traces {
namespace {

/// The state of the program so far, as far as it determines the next possible steps.
class Possible {
 public:
  bool take(const Step& step) {
    Thread& self = threads_[step.thread];
    if (!self.forked || self.ended ||
        (self.waits_for >= 0 && !(step.op == Op::Wake && step.object == self.waits_for))) {
      return false;
    }
    if (step.refused) {
      // Whether a load in between counts as something else depends on what the thread has loaded before.
      const bool unclear = self.attempted == step.object && self.has_loaded;
      if (unclear || !is_held_by_other(step.object, step.thread)) return false;
      self.attempted = step.object;
      return true;
    }
    if (step.op == Op::AtomicLoad) {
      self.has_loaded = true;
    } else if (!is_access(step.op) && step.op != Op::Allocate) {
      self.attempted = -1;
      self.has_loaded = false;
    }
    Lock& lock = locks_[step.object];
    switch (step.op) {
      case Op::Acquire:
        if (!lock.readers.empty() || (lock.depth != 0 && lock.holder != step.thread)) return false;
        lock.holder = step.thread;
        ++lock.depth;
        return true;
      case Op::AcquireShared:
        if (lock.depth != 0) return false;
        ++lock.readers[step.thread];
        return true;
      case Op::Release:
        if (lock.depth == 0 || lock.holder != step.thread) return false;
        --lock.depth;
        return true;
      case Op::ReleaseShared:
        if (!lock.readers.contains(step.thread)) return false;
        if (--lock.readers[step.thread] == 0) lock.readers.erase(step.thread);
        return true;
      case Op::Wait:
        if (lock.depth == 0 || lock.holder != step.thread) return false;
        self.depth = lock.depth;
        self.waits_for = step.object;
        lock.depth = 0;
        return true;
      case Op::Wake:
        if (self.waits_for != step.object || lock.depth != 0 || !lock.readers.empty()) return false;
        lock.holder = step.thread;
        lock.depth = self.depth;
        self.waits_for = -1;
        return true;
      case Op::BarrierArrive:
        if (self.arrived[step.object]) return false;
        return self.arrived[step.object] = true;
      case Op::BarrierLeave:
        if (!self.arrived[step.object]) return false;
        self.arrived[step.object] = false;
        return true;
      case Op::Fork:
        if (threads_[step.object].forked) return false;
        return threads_[step.object].forked = true;
      case Op::Join:
        if (step.object == 0 || step.object == step.thread || !threads_[step.object].forked ||
            threads_[step.object].joined || threads_[step.object].waits_for >= 0) {
          return false;
        }
        threads_[step.object].ended = true;
        return threads_[step.object].joined = true;
      case Op::Begin:
        return false;
      case Op::End:
        if (step.thread == 0) return false;
        return self.ended = true;
      default:
        return true;
    }
  }
  /// Does a later step fork the thread? Otherwise it is there from the start.
  void start(std::size_t thread) { threads_[thread].forked = true; }

 private:
  struct Thread {
    bool forked = false;
    bool ended = false;
    bool joined = false;
    int waits_for = -1;
    int attempted = -1;  ///< a lock
    bool has_loaded = false;
    std::size_t depth = 0;
    std::array<bool, 256> arrived{};
  };
  struct Lock {
    std::size_t holder = 0;
    std::size_t depth = 0;
    std::map<std::size_t, std::size_t> readers;
  };
  bool is_held_by_other(std::size_t object, std::size_t thread) const {
    const auto lock = locks_.find(object);
    if (lock == locks_.end()) return false;
    const auto& [_, held] = *lock;
    if (held.depth != 0) return held.holder != thread;
    return !held.readers.empty() && !held.readers.contains(thread);
  }

  std::map<std::size_t, Thread> threads_;
  std::map<std::size_t, Lock> locks_;
};

std::string operation(const Step& step, const Program& program) {
  const auto memory = [&] { return fmt::format("{:#x}:{}", step.offset, step.bytes); };
  const OpTraits& of = traits(step.op);
  std::string name(of.name);
  if (step.refused) name = "refused";
  if (of.ordered) name += fmt::format(".{}", omen::name(step.order));
  switch (of.operand) {
    case OperandKind::None:
      return name;
    case OperandKind::Variable:
    case OperandKind::Atomic:
      return fmt::format("{}({})", name, memory());
    case OperandKind::Thread:
      return fmt::format("{}(T{})", name, step.object);
    case OperandKind::Lock:
      return fmt::format("{}(m{}@{:#x})", name, step.object, program.locks[step.object]);
    case OperandKind::Barrier:
      return fmt::format("{}(b{})", name, step.object);
  }
  return name;
}

constexpr std::array<std::string_view, 8> kForms{"sized", "unaligned",  "read-write",    "bytes",
                                                 "range", "tsan-range", "failed-change", "exchange"};

bool parse_order(std::string_view name, MemoryOrder& order) {
  const auto known = std::ranges::find(kMemoryOrderNames, name);
  order = static_cast<MemoryOrder>(known - kMemoryOrderNames.begin());
  return known != kMemoryOrderNames.end();
}

/// `load.acquire`, `refused`.
bool parse_operation(std::string name, Step& step) {
  if (name == "refused") {
    step.op = Op::Acquire;
    return step.refused = true;
  }
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos && !parse_order(name.substr(dot + 1), step.order)) return false;
  const auto known = std::ranges::find(kOpTraits, name.substr(0, dot), &OpTraits::name);
  if (known == kOpTraits.end()) return false;
  step.op = known->op;
  return true;
}

bool parse_operand(const std::string& operand, Step& step, Program& program) {
  unsigned number = 0;
  unsigned offset = 0;
  switch (traits(step.op).operand) {
    case OperandKind::None:
      return operand.empty();
    case OperandKind::Lock:
      if (std::sscanf(operand.c_str(), "m%u@%x", &number, &offset) != 2 || number >= kMostLocks) return false;
      program.locks[number] = static_cast<std::uint16_t>(offset);
      break;
    case OperandKind::Thread:
      if (std::sscanf(operand.c_str(), "T%u", &number) != 1 || number >= kMostThreads) return false;
      break;
    case OperandKind::Barrier:
      if (std::sscanf(operand.c_str(), "b%u", &number) != 1) return false;
      break;
    default:
      if (std::sscanf(operand.c_str(), "%x:%u", &offset, &number) != 2 || offset + number > kData) return false;
      step.offset = static_cast<std::uint16_t>(offset);
      step.bytes = static_cast<std::uint16_t>(number);
      return true;
  }
  step.object = static_cast<std::uint8_t>(number);
  return true;
}

bool parse_form(const std::string& words, Step& step) {
  std::istringstream in(words);
  std::string name;
  if (!(in >> name)) return true;
  const auto known = std::ranges::find(kForms, name);
  if (known == kForms.end()) return false;
  step.form = static_cast<Form>(known - kForms.begin());
  return step.form != Form::Bytes || static_cast<bool>(in >> std::hex >> step.mask);
}

bool parse_step(const std::string& line, Program& program) {
  static const std::regex kStep(R"(T(\d+)\|([a-z._]+)(?:\(([^)]*)\))?\|\d*(?:  # (.*))?)");
  std::smatch part;
  Step step;
  if (!std::regex_match(line, part, kStep) || std::stoul(part[1]) >= kMostThreads) return false;
  step.thread = static_cast<std::uint8_t>(std::stoul(part[1]));
  if (!parse_operation(part[2], step) || !parse_operand(part[3], step, program) || !parse_form(part[4], step)) {
    return false;
  }
  program.steps.push_back(step);
  return true;
}

}  // namespace

std::size_t Program::threads() const {
  std::size_t most = 0;
  for (const Step& step : steps) {
    most = std::max<std::size_t>(most, step.thread);
    if (step.op == Op::Fork || step.op == Op::Join) most = std::max<std::size_t>(most, step.object);
  }
  return most + 1;
}

Program possible_part(const Program& program) {
  Program possible;
  possible.locks = program.locks;
  possible.heap = program.heap;
  possible.recorded = program.recorded;
  Possible state;
  state.start(0);
  for (std::size_t t = 1; t < program.threads(); ++t) {
    const bool is_forked = std::ranges::any_of(
        program.steps, [&](const Step& step) { return step.op == Op::Fork && step.object == t && step.thread != t; });
    const bool acts = std::ranges::any_of(program.steps, [&](const Step& step) { return step.thread == t; });
    if (is_forked || !acts) continue;
    possible.steps.push_back({.thread = 0, .op = Op::Fork, .object = static_cast<std::uint8_t>(t)});
    state.take(possible.steps.back());
  }
  for (const Step& step : program.steps) {
    if (possible.steps.size() < kMostSteps && state.take(step)) possible.steps.push_back(step);
  }
  return possible;
}

std::string to_text(const Program& program) {
  std::string text = program.heap ? "# heap\n" : "";
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    text += fmt::format("T{}|{}|{}", step.thread, operation(step, program), i);
    if (is_memory(step.op) && step.form != Form::Sized) {
      text += fmt::format("  # {}", kForms[static_cast<std::size_t>(step.form)]);
      if (step.form == Form::Bytes) text += fmt::format(" {:#x}", step.mask);
    }
    text += '\n';
  }
  return text;
}

Program parse(const std::string& text) {
  Program program;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "# heap") program.heap = true;
    if (line.empty() || line.front() == '#') continue;
    if (!parse_step(line, program)) {
      fmt::print(stderr, "cannot read: {}\n", line);
      std::exit(65);
    }
  }
  return program;
}

}  // namespace omen::traces
