#include "report/online_process.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/source_map.hpp"

namespace omen::report {
namespace {

/// On x86-64, Linux places the first thread's stack above all modules and mappings. Without a limit on the stack's size
/// mappings grow upwards, but never up to this address.
constexpr std::uint64_t kAboveMappings = 0x7ff000000000;

}  // namespace

void OnlineProcess::take(const online::ThreadBegin& message) {
  KnownThread thread{message.system_id, std::nullopt, message.created};
  if (message.creator != message.id) thread.creator = message.creator;
  threads_[message.id] = std::move(thread);
}

void OnlineProcess::take(const online::Counter& message) {
  if (message.name == "threads") {
    facts_.threads = message.value;
  } else if (message.name == "accesses") {
    facts_.events += message.value;
  } else if (message.name == "synchronisations") {
    facts_.events += message.value;
    facts_.synchronisations = message.value;
  }
  facts_.counters.emplace_back(message.name, message.value);
}

RunReport OnlineProcess::facts() const {
  RunReport facts = facts_;
  facts.threads = std::max<std::uint64_t>(facts.threads, threads_.size());
  if (!exited_) {
    facts.notes.emplace_back(
        "the process was killed or goes on: races up to there are reported, its accesses were not counted");
  }
  for (std::string& note : symbolizer_.notes()) facts.notes.push_back(std::move(note));
  return facts;
}

Stack OnlineProcess::stack(const online::Addresses& addresses) {
  Stack stack;
  if (!addresses) return stack;
  for (const std::uint64_t address : *addresses) {
    for (Frame& frame : symbolizer_.frames(address)) stack.push_back(std::move(frame));
    if (stack.size() >= SourceMap::kMostFrames) break;
  }
  return stack;
}

std::string OnlineProcess::lock_label(std::uint64_t address) {
  return fmt::format("M{}", locks_.emplace(address, locks_.size()).first->second);
}

Access OnlineProcess::access(const online::Access& message) {
  using Kind = online::AccessKind;
  Access access;
  switch (message.kind) {
    case Kind::Free:
      access.kind = AccessKind::Free;
      break;
    case Kind::Write:
    case Kind::Vptr:
    case Kind::AtomicWrite:
      access.kind = AccessKind::Write;
      break;
    case Kind::Read:
    case Kind::AtomicRead:
      access.kind = AccessKind::Read;
      break;
  }
  access.atomic = message.kind == Kind::AtomicRead || message.kind == Kind::AtomicWrite;
  access.size = message.size;
  access.address = message.address;
  access.thread = message.thread;
  access.stack = stack(message.stack);
  for (const online::HeldLock& held : message.locks) {
    HeldLock lock;
    lock.label = lock_label(held.address);
    if (const auto global = symbolizer_.global_at(held.address)) lock.name = global->name;
    lock.address = held.address;
    lock.shared = held.shared;
    lock.acquired = stack(held.acquired);
    access.locks.push_back(std::move(lock));
  }
  return access;
}

Variable OnlineProcess::variable(const online::Race& message) {
  Variable variable;
  if (message.block) {
    variable.kind = message.block->heap ? LocationKind::Heap : LocationKind::OnStack;
    variable.address = message.block->heap ? message.block->address : message.now.address;
    variable.size = message.block->size;
    variable.thread = message.block->thread;
    variable.allocated = stack(message.block->allocated);
    return variable;
  }
  // The accesses overlap: the shared memory begins at the higher of the two addresses.
  const std::uint64_t address = std::max(message.now.address, message.earlier.address);
  variable.address = address;
  variable.size = message.now.size;
  if (const auto global = symbolizer_.global_at(address)) {
    variable.kind = LocationKind::Global;
    variable.name = global->name;
    variable.address = global->address;
    variable.size = global->size;
    variable.module = global->module;
    variable.offset = global->offset;
  } else if (address >= std::max(kAboveMappings, highest_module_)) {
    variable.kind = LocationKind::OnStack;
    variable.thread = 0;
  }
  return variable;
}

bool OnlineProcess::is_main(std::uint32_t id, const KnownThread& thread) const {
  if (thread.creator) return false;
  return facts_.process != 0 && thread.system_id != 0 ? thread.system_id == facts_.process : id == 0;
}

std::vector<Thread> OnlineProcess::threads(std::vector<std::uint32_t> ids) {
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < ids.size(); ++i) {  // the loop appends creators to `ids`
    const std::uint32_t id = ids[i];
    if (std::ranges::find(threads, id, &Thread::id) != threads.end()) continue;
    Thread thread;
    thread.id = id;
    thread.label = fmt::format("T{}", id);
    if (const auto name = names_.find(id); name != names_.end()) thread.name = name->second;
    if (const auto known = threads_.find(id); known != threads_.end()) {
      thread.main = is_main(id, known->second);
      if (thread.main) thread.label = "main";
      thread.system_id = known->second.system_id;
      thread.finished = thread.system_id != 0 && !is_running_(facts_.process, thread.system_id);
      thread.creator = known->second.creator;
      thread.creation = stack(known->second.created);
      if (thread.creator) ids.push_back(*thread.creator);
    }
    threads.push_back(std::move(thread));
  }
  std::ranges::sort(threads, {}, &Thread::id);
  return threads;
}

Race OnlineProcess::race(const online::Race& message) {
  Race race;
  race.online = true;
  race.observed = message.observed;
  race.found_by = message.observed ? "hb" : relation_;
  race.count = std::max<std::uint64_t>(message.count, 1);
  race.accesses = {access(message.now), access(message.earlier)};
  const auto is = [&](online::AccessKind kind) { return message.now.kind == kind || message.earlier.kind == kind; };
  if (is(online::AccessKind::Free)) {
    race.kind = RaceKind::UseAfterFree;
  } else if (is(online::AccessKind::Vptr)) {
    race.kind = RaceKind::VptrRace;
  }
  race.variable = variable(message);
  std::vector<std::uint32_t> mentioned{race.accesses[0].thread, race.accesses[1].thread};
  if (race.variable.thread) mentioned.push_back(*race.variable.thread);
  race.threads = threads(std::move(mentioned));
  race.fingerprint = fingerprint(race);
  return race;
}

std::string OnlineProcess::key(const Race& race) {
  std::array<std::string, 2> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    const Frame* const frame = Race::place(race.accesses[i].stack);
    if (frame == nullptr) {
      // The location is unknown: the variable distinguishes races.
      sides[i] = race.variable.name.empty() ? fmt::format("{:#x}", race.accesses[i].address) : race.variable.name;
    } else if (frame->has_source()) {
      sides[i] = fmt::format("{}\t{}:{}:{}", frame->function, frame->file, frame->line, frame->column);
    } else {
      sides[i] = fmt::format("{}\t{}+{:#x}", frame->function, frame->module, frame->offset);
    }
  }
  std::ranges::sort(sides);
  return sides[0] + "\n" + sides[1];
}

}  // namespace omen::report
