#include "vindicate/trace_index.hpp"

#include <algorithm>
#include <unordered_map>

namespace omen::vindicate {

TraceIndex::TraceIndex(const Trace& trace, Model model) : trace_(trace), model_(model), link_(trace.size(), kNone) {
  OMEN_CHECK(trace.size() < kNone);
  find_threads();
  find_links();
  has_updates_ = model == Model::Data && std::ranges::any_of(trace.events, &Event::update);
  if (has_updates_) find_chains();
  find_sections();
}

void TraceIndex::find_threads() {
  position_.resize(size());
  by_thread_.resize(size());
  fork_.assign(trace_.threads(), kNone);
  std::vector<std::uint32_t> count(trace_.threads(), 0);
  for (EventNo e = 0; e < size(); ++e) {
    position_[e] = count[thread(e)]++;
    if (event(e).op == Op::Fork) fork_[index(event(e).target())] = e;
  }
  first_of_thread_.assign(trace_.threads() + 1, 0);
  for (std::size_t t = 0; t < trace_.threads(); ++t) first_of_thread_[t + 1] = first_of_thread_[t] + count[t];
  for (EventNo e = 0; e < size(); ++e) by_thread_[first_of_thread_[thread(e)] + position_[e]] = e;
}

void TraceIndex::find_links() {
  struct Barrier {
    std::uint32_t round = kNone;  ///< the current one
    bool left = true;             ///< a thread has left it: the next arrival opens another
    std::unordered_map<ThreadId, std::uint32_t> of;
  };
  std::vector<EventNo> touched(trace_.names.of(OperandKind::Variable).size(), kNone);
  std::vector<EventNo> allocated(touched.size(), kNone);
  std::vector<EventNo> stored(trace_.names.of(OperandKind::Atomic).size(), kNone);
  std::vector<Barrier> barriers(trace_.names.of(OperandKind::Barrier).size());
  for (EventNo e = 0; e < size(); ++e) {
    const Event& ev = event(e);
    if (ev.op == Op::Read) {
      link_[e] = touched[ev.operand];
    } else if (is_write(ev.op)) {
      link_[e] = allocated[ev.operand];
      touched[ev.operand] = e;
    } else if (ev.op == Op::Allocate) {
      touched[ev.operand] = allocated[ev.operand] = e;
      allocations_[ev.variable()].push_back(e);
    } else if (traits(ev.op).operand == OperandKind::Atomic) {
      if (ev.op != Op::AtomicStore) link_[e] = stored[ev.operand];
      if (ev.op != Op::AtomicLoad) stored[ev.operand] = e;
    } else if (ev.op == Op::BarrierArrive) {
      Barrier& b = barriers[ev.operand];
      if (b.left) {
        b.round = static_cast<std::uint32_t>(arrivals_.size());
        b.left = false;
        arrivals_.emplace_back();
      }
      arrivals_[b.round].push_back(e);
      link_[e] = b.of[ev.thread] = b.round;
    } else if (ev.op == Op::BarrierLeave) {
      Barrier& b = barriers[ev.operand];
      link_[e] = b.of.at(ev.thread);
      if (link_[e] == b.round) b.left = true;
    }
  }
}

EventNo TraceIndex::source_of_value(EventNo write) const {
  const Event& e = event(write);
  if (model_ == Model::Lw || !e.update || e.op == Op::Read) return kNone;
  if (e.op == Op::AtomicRmw) return write;
  if (position_[write] == 0) return kNone;
  const EventNo before = events_of(thread(write))[position_[write] - 1];
  const Event& read = event(before);
  return read.op == Op::Read && read.update && read.operand == e.operand ? before : kNone;
}

/// Walks each chain back once: where it has been walked before, the earlier result is reused.
void TraceIndex::find_chains() {
  std::unordered_map<EventNo, std::vector<EventNo>> known;  // of a write: itself, and the chain before it
  for (EventNo e = 0; e < size(); ++e) {
    const Op op = event(e).op;
    const bool reads = op == Op::Read || op == Op::AtomicLoad || op == Op::AtomicRmw;
    if (!reads || link_[e] == kNone || may_read_anything(e) || source_of_value(link_[e]) == kNone) continue;
    std::vector<EventNo>& chain = known[link_[e]];
    if (chain.empty()) {
      const auto add = [&](EventNo f) {
        const auto same = [&](EventNo other) { return thread(other) == thread(f); };
        const auto latest = std::ranges::find_if(chain, same);
        if (latest == chain.end()) {
          chain.push_back(f);
        } else {
          *latest = std::max(*latest, f);
        }
      };
      EventNo at = link_[e];
      while (at != kNone) {
        const auto before = at == link_[e] ? known.end() : known.find(at);
        if (before != known.end() && !before->second.empty()) {
          for (const EventNo f : before->second) add(f);
          break;
        }
        add(at);
        const EventNo source = source_of_value(at);
        at = source == kNone ? kNone : link_[source];
      }
    }
    chains_.emplace(e, chain);
  }
}

/// Two passes: how many sections each slot has, then the sections.
void TraceIndex::find_sections() {
  slots_of_thread_.resize(trace_.threads());
  slots_of_lock_.resize(trace_.names.of(OperandKind::Lock).size());
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> count;
  for (EventNo e = 0; e < size(); ++e) {
    const Event& ev = event(e);
    const bool starts = starts_section(ev);
    if (!starts && !ends_section(ev)) continue;
    const std::uint64_t key = (std::uint64_t{static_cast<std::uint32_t>(ev.thread)} << 32) | ev.operand;
    const auto [at, is_new] = known.emplace(key, static_cast<std::uint32_t>(slots_.size()));
    if (is_new) {
      slots_of_thread_[index(ev.thread)].push_back(at->second);
      slots_of_lock_[index(ev.lock())].push_back(at->second);
      slots_.push_back({ev.thread, ev.lock()});
      count.push_back(0);
    }
    link_[e] = at->second;  // the slot for now, the section in the second pass
    if (!starts) continue;
    ++count[at->second];
    (ev.op == Op::AcquireShared ? slots_[at->second].any_shared : slots_[at->second].any_exclusive) = true;
  }
  first_of_slot_.assign(slots_.size() + 1, 0);
  for (std::size_t s = 0; s < slots_.size(); ++s) first_of_slot_[s + 1] = first_of_slot_[s] + count[s];
  sections_.resize(first_of_slot_.back());
  std::vector<std::uint32_t> next(first_of_slot_.begin(), first_of_slot_.end() - 1);
  for (EventNo e = 0; e < size(); ++e) {
    const Event& ev = event(e);
    if (starts_section(ev)) {
      const std::uint32_t slot = link_[e];
      link_[e] = next[slot]++;
      sections_[link_[e]] = {e, kNone, slot};
    } else if (ends_section(ev)) {
      link_[e] = next[link_[e]] - 1;
      sections_[link_[e]].end = e;
    }
  }
}

std::size_t TraceIndex::entered(std::uint32_t slot, std::uint32_t cut) const {
  const std::span<const EventNo> events = events_of(index(slots_[slot].thread));
  const EventNo limit = cut < events.size() ? events[cut] : kNone;
  const auto all = sections(slot);
  return static_cast<std::size_t>(std::ranges::lower_bound(all, limit, {}, &Section::start) - all.begin());
}

const Section* TraceIndex::last_exclusive(std::uint32_t slot, std::size_t n) const {
  if (!slots_[slot].any_exclusive) return nullptr;
  const auto all = sections(slot);
  while (n > 0 && shared(all[n - 1])) --n;
  return n == 0 ? nullptr : &all[n - 1];
}

std::span<const EventNo> TraceIndex::allocations(VariableId x) const {
  const auto found = allocations_.find(x);
  return found == allocations_.end() ? std::span<const EventNo>{} : std::span<const EventNo>(found->second);
}

EventNo TraceIndex::life(EventNo access) const {
  const EventNo seen = link_[access];
  const bool saw_write = event(access).op == Op::Read && seen != kNone && is_write(event(seen).op);
  return saw_write ? link_[seen] : seen;
}

bool TraceIndex::conflict(EventNo e, EventNo f) const {
  const Event& a = event(e);
  const Event& b = event(f);
  return is_access(a.op) && is_access(b.op) && a.variable() == b.variable() && a.thread != b.thread &&
         (is_write(a.op) || is_write(b.op)) && life(e) == life(f);
}

}  // namespace omen::vindicate
