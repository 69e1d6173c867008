#include "mini/machine.hpp"

#include <algorithm>
#include <charconv>

#include "trace/error.hpp"

namespace omen::mini {

std::string_view text(Fault fault) {
  switch (fault) {
    case Fault::None:
      return "none";
    case Fault::Assertion:
      return "assertion failed";
    case Fault::DivisionByZero:
      return "division by zero";
    case Fault::Index:
      return "index out of range";
    case Fault::Null:
      return "null dereference";
    case Fault::NotHeld:
      return "unlock of a lock that is not held";
    case Fault::BadThread:
      return "no number of a thread";
    case Fault::ThreadTwice:
      return "second thread of the same number";
    case Fault::CallDepth:
      return "calls nested too deeply";
    case Fault::Objects:
      return "too many objects";
    case Fault::Endless:
      return "too long without a visible event";
  }
  return "";
}

Machine::Machine(const Code& code, Limits limits, Observer* observer)
    : code_(&code), limits_(limits), memory_(code.initial) {
  start(0, code.main, {}, observer);
}

bool Machine::enabled(ThreadNumber t) const {
  const Next& next = threads_[t].next;
  if (stopped_) return false;
  switch (next.action) {
    case Action::Load:
    case Action::Store:
    case Action::Unlock:
    case Action::Spawn:
    case Action::Fault:
      return true;
    case Action::Lock:
      return memory_[next.at] == 0;
    case Action::Wait:
      return next.thread < threads_.size() && threads_[next.thread].next.action == Action::End;
    case Action::End:
    case Action::Unborn:
      return false;
  }
  return false;
}

bool Machine::finished() const {
  return std::ranges::all_of(threads_, [](const Thread& thread) {
    return thread.next.action == Action::End || thread.next.action == Action::Unborn;
  });
}

void Machine::step(ThreadNumber t, Observer* observer) {
  OMEN_CHECK(t < threads_.size() && enabled(t));
  const Next next = threads_[t].next;
  const Instruction& i = *next.instruction;
  if (next.action == Action::Fault) {
    stopped_ = true;
    return;
  }
  if (next.action == Action::Spawn && next.thread < threads_.size() &&
      threads_[next.thread].next.action != Action::Unborn) {
    return fault(threads_[t], Fault::ThreadTwice, i);
  }
  if (observer != nullptr) observer->visible(*this, t, next, next.action == Action::Load ? memory_[next.at] : 0);
  switch (next.action) {
    case Action::Load:
      reg(threads_[t], i.dst) = memory_[next.at];
      break;
    case Action::Store:
      memory_[next.at] = next.value;
      break;
    case Action::Lock:
      memory_[next.at] = t + 1;
      break;
    case Action::Unlock:
      memory_[next.at] = 0;
      break;
    case Action::Spawn: {
      const Thread& parent = threads_[t];
      const auto first = parent.registers.begin() + parent.frames.back().base + (i.a == kNoRegister ? 0 : i.a);
      const std::vector<std::uint64_t> arguments(first, first + code_->routines[i.target].parameters);
      start(next.thread, i.target, arguments, observer);
      break;
    }
    default:
      break;
  }
  ++threads_[t].frames.back().pc;
  advance(t, observer);
}

void Machine::start(ThreadNumber t, std::uint32_t routine, const std::vector<std::uint64_t>& arguments,
                    Observer* observer) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  threads_[t].frames.push_back({routine, 0, 0, kNoRegister});
  threads_[t].registers.assign(code_->routines[routine].registers, 0);
  std::ranges::copy(arguments, threads_[t].registers.begin());
  if (observer != nullptr) observer->spawned(*this, t);
  advance(t, observer);
}

void Machine::advance(ThreadNumber t, Observer* observer) {
  for (std::uint32_t count = 0; !threads_[t].frames.empty(); ++count) {
    const Frame& frame = threads_[t].frames.back();
    const Instruction& i = code_->routines[frame.routine].instructions[frame.pc];
    if (is_visible(i.code)) return arrive(t, i);
    if (count == limits_.local_instructions) return fault(threads_[t], Fault::Endless, i);
    if (!execute(t, i, observer)) return;
  }
  threads_[t].next = {};
  threads_[t].next.action = Action::End;
  threads_[t].registers.clear();
  if (observer != nullptr) observer->ended(*this, t);
}

/// False: the thread is now at a fault.
bool Machine::execute(ThreadNumber t, const Instruction& i, Observer* observer) {
  Thread& thread = threads_[t];
  Frame& frame = thread.frames.back();
  if (is_choice(i.code)) {
    const bool holds = reg(thread, i.a) != 0;
    const bool way = observer == nullptr ? holds : observer->choose(*this, t, i, holds);
    if (way) {
      if (i.code == OpCode::NotZero && !holds) reg(thread, i.a) = 1;  // the observer assumes that it is not 0
      ++frame.pc;
    } else if (i.code == OpCode::Branch) {
      frame.pc = i.target;
    } else {
      return fault(thread, i.code == OpCode::Assert ? Fault::Assertion : Fault::DivisionByZero, i), false;
    }
    return true;
  }
  if (observer != nullptr) observer->local(*this, t, i);
  switch (i.code) {
    case OpCode::Constant:
      reg(thread, i.dst) = i.immediate;
      break;
    case OpCode::Copy:
      reg(thread, i.dst) = reg(thread, i.a);
      break;
    case OpCode::Unary:
      reg(thread, i.dst) = apply(i.unary, i.type, reg(thread, i.a));
      break;
    case OpCode::Binary:
      reg(thread, i.dst) = apply(i.binary, i.type, reg(thread, i.a), reg(thread, i.b));
      break;
    case OpCode::Convert:
      reg(thread, i.dst) = convert(i.type, i.to, reg(thread, i.a));
      break;
    case OpCode::Jump:
      frame.pc = i.target;
      return true;
    case OpCode::New:
      if (!allocate(t, i)) return false;
      break;
    case OpCode::Call:
      return call(thread, i);
    case OpCode::Return: {
      const std::uint64_t result = i.a == kNoRegister ? 0 : reg(thread, i.a);
      const std::uint32_t into = frame.result;
      thread.registers.resize(frame.base);
      thread.frames.pop_back();
      if (thread.frames.empty()) return true;
      if (into != kNoRegister) reg(thread, into) = result;
      ++thread.frames.back().pc;
      return true;
    }
    default:
      break;
  }
  ++thread.frames.back().pc;
  return true;
}

bool Machine::call(Thread& thread, const Instruction& i) {
  if (thread.frames.size() >= limits_.call_depth) return fault(thread, Fault::CallDepth, i), false;
  const Routine& routine = code_->routines[i.target];
  const auto base = static_cast<std::uint32_t>(thread.registers.size());
  const std::uint32_t first = thread.frames.back().base + i.a;
  thread.registers.resize(base + routine.registers, 0);
  std::copy_n(thread.registers.begin() + first, routine.parameters, thread.registers.begin() + base);
  thread.frames.push_back({i.target, 0, base, i.dst});
  return true;
}

bool Machine::allocate(ThreadNumber t, const Instruction& i) {
  Thread& thread = threads_[t];
  const std::uint32_t cells = code_->structures[i.target].cells;
  if (thread.objects.size() + 1 >= (1U << 24) || memory_.size() + cells > limits_.cells) {
    return fault(thread, Fault::Objects, i), false;
  }
  thread.objects.push_back({i.target, static_cast<std::uint32_t>(memory_.size())});
  memory_.resize(memory_.size() + cells, 0);
  reg(thread, i.dst) = reference(t, static_cast<std::uint32_t>(thread.objects.size()));
  return true;
}

/// The thread reaches a visible instruction: determines its cell or thread.
void Machine::arrive(ThreadNumber t, const Instruction& i) {
  Thread& thread = threads_[t];
  Next next;
  next.instruction = &i;
  if (i.code == OpCode::Spawn || i.code == OpCode::Wait) {
    const std::int64_t number = as_signed(i.type, reg(thread, i.c));
    if (number < 1 || number > kMaxThread) return fault(thread, Fault::BadThread, i);
    next.action = i.code == OpCode::Spawn ? Action::Spawn : Action::Wait;
    next.thread = static_cast<ThreadNumber>(number);
    thread.next = next;
    return;
  }
  const Place& place = code_->places[i.target];
  next.cell.offset = place.cell;
  if (place.array) {
    const std::uint64_t index = reg(thread, i.b);
    const bool negative = as_signed(i.index_type, index) < 0 && is_signed(i.index_type);
    if (negative || index >= place.cells) return fault(thread, Fault::Index, i);
    next.cell.offset += static_cast<std::uint32_t>(index);
  }
  next.at = next.cell.offset;
  if (place.field) {
    next.cell.reference = static_cast<std::uint32_t>(reg(thread, i.a));
    if (next.cell.reference == 0) return fault(thread, Fault::Null, i);
    next.at += threads_[next.cell.reference >> 24].objects[(next.cell.reference & 0xff'ffffU) - 1].first;
  }
  switch (i.code) {
    case OpCode::Load:
      next.action = Action::Load;
      break;
    case OpCode::Store:
      next.action = Action::Store;
      next.value = reg(thread, i.c);
      break;
    case OpCode::Lock:
      next.action = Action::Lock;
      break;
    default:
      next.action = Action::Unlock;
      if (memory_[next.at] != t + 1) return fault(thread, Fault::NotHeld, i);
      break;
  }
  thread.next = next;
}

void Machine::detach(ThreadNumber t, const std::vector<bool>& ended) {
  const auto release = [&](const Place& place, std::uint32_t first) {
    for (std::uint32_t c = 0; c < place.cells; ++c) {
      std::uint64_t& holder = memory_[first + place.cell + c];
      if (place.lock && holder != t + 1) holder = 0;
    }
  };
  for (const Place& place : code_->places) {
    if (!place.field) release(place, 0);
    if (!place.field || !place.lock) continue;
    for (const Thread& thread : threads_) {
      for (const Object& object : thread.objects) {
        if (object.structure == place.structure) release(place, object.first);
      }
    }
  }
  for (ThreadNumber u = 0; u < threads_.size(); ++u) {
    if (u != t && u < ended.size() && ended[u]) {
      threads_[u].next = {};
      threads_[u].next.action = Action::End;
    }
  }
}

std::string Machine::cell_name(const Instruction& access, CellId cell) const {
  const Place& place = code_->places[access.target];
  std::string name;
  if (place.field) {
    name = code_->structures[place.structure].name + "@" + std::to_string(cell.reference >> 24) + "." +
           std::to_string(cell.reference & 0xff'ffffU) + ".";
  }
  name += place.name;
  if (place.array) name += "[" + std::to_string(cell.offset - place.cell) + "]";
  return name;
}

std::vector<std::uint64_t> Machine::shared() const {
  return {memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(code_->initial.size())};
}

std::size_t Machine::bytes() const {
  std::size_t bytes = sizeof *this + memory_.size() * sizeof(std::uint64_t);
  for (const Thread& thread : threads_) {
    bytes += sizeof thread + thread.registers.size() * sizeof(std::uint64_t) + thread.frames.size() * sizeof(Frame) +
             thread.objects.size() * sizeof(Object);
  }
  return bytes;
}

std::string Machine::key() const {
  std::string key;
  const auto put = [&](const void* data, std::size_t bytes) { key.append(static_cast<const char*>(data), bytes); };
  const auto put_number = [&](std::uint32_t number) { put(&number, sizeof number); };
  put(memory_.data(), code_->initial.size() * sizeof(std::uint64_t));
  for (const Thread& thread : threads_) {
    put_number(static_cast<std::uint32_t>(thread.next.action));
    put_number(static_cast<std::uint32_t>(thread.next.fault));
    put_number(static_cast<std::uint32_t>(thread.frames.size()));
    for (const Frame& frame : thread.frames) {
      put_number(frame.routine);
      put_number(frame.pc);
    }
    put(thread.registers.data(), thread.registers.size() * sizeof(std::uint64_t));
    put_number(static_cast<std::uint32_t>(thread.objects.size()));
    for (const Object& object : thread.objects) {
      put_number(object.structure);
      put(memory_.data() + object.first, code_->structures[object.structure].cells * sizeof(std::uint64_t));
    }
  }
  return key;
}

std::string thread_name(ThreadNumber t) {
  return t == 0 ? "main" : "T" + std::to_string(t);
}

std::optional<ThreadNumber> thread_named(std::string_view name) {
  if (name == "main") return 0;
  ThreadNumber t = 0;
  if (!name.starts_with('T')) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), t);
  if (error != std::errc{} || end != name.data() + name.size() || t == 0 || t > kMaxThread) return std::nullopt;
  return t;
}

std::string location_text(const Code& code, Position at) {
  return code.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace omen::mini
