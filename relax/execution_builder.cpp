#include "relax/execution_builder.hpp"

#include <algorithm>

namespace omen::relax {

ExecutionBuilder::ExecutionBuilder(std::size_t threads, std::size_t cells)
    : pending_(threads), fork_(threads, kInitial), last_writer_(cells, kInitial), touched_(cells) {
  out_.threads.resize(threads);
  out_.writers.resize(cells);
  out_.initial.resize(cells, 0);
  out_.initial_unknown.resize(cells, false);
}

std::uint32_t ExecutionBuilder::visible(std::uint32_t event, const Event& what) {
  if (!open_) return kInitial;
  const auto thread = static_cast<std::uint32_t>(index(what.thread));
  auto& items = out_.threads[thread];
  const auto number = static_cast<std::uint32_t>(out_.items.size());
  Item item;
  item.event = event;
  item.thread = thread;
  item.position = static_cast<std::uint32_t>(items.size());
  item.op = what.op;
  item.operand = what.operand;
  item.location = what.location;
  item.guards = std::exchange(pending_[thread], {});
  if (items.empty()) {
    if (fork_[thread] == kNever) {
      item.never = true;
    } else if (fork_[thread] != kInitial) {
      item.needs.push_back(fork_[thread]);
    }
  }
  items.push_back(number);
  out_.items.push_back(std::move(item));
  return number;
}

void ExecutionBuilder::guard(std::uint32_t thread, values::ExprId expr, std::uint64_t expected, bool branch) {
  if (!open_) return;
  const auto position = static_cast<std::uint32_t>(out_.threads[thread].size());
  pending_[thread].push_back({thread, position, expr, expected, branch});
}

void ExecutionBuilder::reads(std::uint32_t item, std::uint32_t cell) {
  if (item == kInitial) return;
  at(item).cell = cell;
  at(item).reads = true;
  at(item).writer = last_writer_[cell];
}

void ExecutionBuilder::writes(std::uint32_t item, std::uint32_t cell) {
  last_writer_[cell] = item;
  if (item == kInitial) return;
  at(item).cell = cell;
  at(item).writes = true;
  out_.writers[cell].push_back(item);
}

void ExecutionBuilder::keeps_order(std::uint32_t item) {
  if (item == kInitial) return;
  Item& i = at(item);
  Touched& touched = touched_[i.cell];
  const auto follows = [&](std::uint32_t other) {
    if (other != kInitial && out_.items[other].thread != i.thread) i.ca_needs.push_back(other);
  };
  follows(touched.write);
  if (!i.writes) {
    touched.reads.push_back(item);
    return;
  }
  for (const std::uint32_t read : touched.reads) follows(read);
  touched = {item, {}};
}

void ExecutionBuilder::acquire(std::uint32_t item, std::uint32_t thread, std::uint32_t lock, bool shared,
                               std::uint32_t depth) {
  const auto [held, taken] = held_.try_emplace({thread, lock}, Held{0, depth});
  if (!taken) {
    ++held->second.depth;
    return;
  }
  const auto section = static_cast<std::uint32_t>(out_.sections.size());
  held->second.section = section;
  out_.sections.push_back({lock, thread, item, kNone, shared});
  if (item != kInitial) at(item).starts = section;
}

std::uint32_t ExecutionBuilder::release(std::uint32_t item, std::uint32_t thread, std::uint32_t lock, bool wholly) {
  const auto held = held_.find({thread, lock});
  if (held == held_.end()) return 0;
  const std::uint32_t depth = held->second.depth;
  if (!wholly && --held->second.depth > 0) return depth;
  out_.sections[held->second.section].end = item;
  held_.erase(held);
  return depth;
}

void ExecutionBuilder::fork(std::uint32_t item, std::uint32_t child) {
  fork_[child] = item;
}

void ExecutionBuilder::join(std::uint32_t item, std::uint32_t child) {
  if (item != kInitial) joins_.emplace_back(item, child);
}

void ExecutionBuilder::needs(std::uint32_t item, std::uint32_t other) {
  if (item != kInitial && other != kInitial) at(item).needs.push_back(other);
}

Execution ExecutionBuilder::finish() {
  for (const auto& [item, child] : joins_) {
    const auto& items = out_.threads[child];
    if (!items.empty()) {
      at(item).needs.push_back(items.back());
    } else if (fork_[child] == kNever) {
      at(item).never = true;
    } else if (fork_[child] != kInitial) {
      at(item).needs.push_back(fork_[child]);
    }
    at(item).guards.insert(at(item).guards.end(), pending_[child].begin(), pending_[child].end());
  }
  // Sections that ended before the window are nobody's rivals.
  std::vector<std::uint32_t> renamed(out_.sections.size(), kNone);
  std::vector<Section> kept;
  for (std::size_t s = 0; s < out_.sections.size(); ++s) {
    if (out_.sections[s].end == kInitial) continue;
    renamed[s] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(out_.sections[s]);
  }
  out_.sections = std::move(kept);
  for (Item& item : out_.items) {
    if (item.starts != kNone) item.starts = renamed[item.starts];
  }
  return std::move(out_);
}

std::vector<std::uint32_t> Execution::around(std::uint32_t item) const {
  std::vector<std::uint32_t> found;
  const Item& i = items[item];
  for (std::uint32_t s = 0; s < sections.size(); ++s) {
    const Section& section = sections[s];
    if (section.thread != i.thread) continue;
    const bool started = section.start == kInitial || items[section.start].position < i.position;
    const bool ended = section.end != kNone && items[section.end].position < i.position;
    if (started && !ended) found.push_back(s);
  }
  return found;
}

bool Execution::conflict(std::uint32_t i, std::uint32_t j) const {
  const Item& a = items[i];
  const Item& b = items[j];
  return is_access(a.op) && is_access(b.op) && a.thread != b.thread && a.cell == b.cell && (a.writes || b.writes) &&
         a.life == b.life;
}

}  // namespace omen::relax
