#include "test/online/traces/definition.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace omen::traces {
namespace {

constexpr std::size_t kCell = 8;
constexpr std::size_t kLine = 64;
using Sections = std::bitset<kMostSteps>;  ///< by number: no program has more sections than steps

/// What one thread, or whatever hands order on, knows.
struct Known {
  Steps hard;  ///< thread order
  Steps hb;
  Steps wdc;
  Steps dc;
  Steps wcp;       ///< without thread order
  Sections begun;  ///< sections whose begin is known by hard edges alone

  void join(const Known& other) {
    hard |= other.hard;
    hb |= other.hb;
    wdc |= other.wdc;
    dc |= other.dc;
    wcp |= other.wcp;
    begun |= other.begun;
  }
  void add(std::size_t step) {
    for (Steps* set : {&hard, &hb, &wdc, &dc}) set->set(step);
  }
};

/// An access to one class of bytes.
struct Access {
  std::size_t step;
  std::size_t thread;
  bool write;
  bool atomic;
  std::uint16_t life;
};

struct Section {
  std::size_t lock;
  std::size_t thread;
  bool shared;
  std::size_t start;
  std::optional<std::size_t> end;
  Known at_end;  ///< with the end itself
  struct Accessed {
    std::size_t byte_class;
    Access access;
  };
  std::vector<Accessed> accesses;
  struct Atomic {
    std::size_t address;
    bool write;
  };
  std::vector<Atomic> atomics;

  bool is_rival(const Section& other) const {
    return lock == other.lock && thread != other.thread && !(shared && other.shared);
  }
};

struct Thread {
  Known known;
  std::vector<std::size_t> held;  ///< numbers of the sections that it is in, the outermost first
  std::array<std::size_t, kMostLocks> depth{};
  Known fence_released;
  Known to_acquire;
  std::map<std::size_t, std::size_t> round;  ///< of its latest arrival at each barrier
  std::optional<std::size_t> refused_by;     ///< the lock, if it has not synchronised since
};

struct Barrier {
  std::vector<Known> rounds;
  bool left = true;  ///< the next arrival opens a round
};

bool conflict(const Access& e, const Access& f) {
  return e.life == f.life && e.thread != f.thread && (e.write || f.write) && !(e.atomic && f.atomic);
}

class Definition {
 public:
  Definition(const Program& program, Relation relation)
      : program_(program), relation_(relation), classes_(byte_classes(program)), threads_(program.threads()) {
    accesses_.resize(kData);
    lives_.assign(kData, 0);
    verdict_.happened_before.resize(program.steps.size());
    verdict_.hard_before.resize(program.steps.size());
  }

  Verdict run() {
    for (at_ = 0; at_ < program_.steps.size(); ++at_) {
      const Step& step = program_.steps[at_];
      take(step, threads_[step.thread]);
      threads_[step.thread].known.add(at_);
    }
    for (const Race& race : verdict_.races) {
      verdict_.pairs.emplace(race.earlier, race.later);
      verdict_.racy.insert(race.later);
    }
    return std::move(verdict_);
  }

 private:
  void take(const Step& step, Thread& self) {
    if (step.refused) return refused(step, self);
    if (!is_access(step.op) && step.op != Op::Allocate) self.refused_by.reset();
    switch (step.op) {
      case Op::Acquire:
      case Op::AcquireShared:
        if (self.depth[step.object]++ == 0) begin_section(step, self, step.op == Op::AcquireShared);
        break;
      case Op::Release:
      case Op::ReleaseShared:
        if (--self.depth[step.object] == 0) end_section(step, self);
        break;
      case Op::Wait:
        depth_before_wait_[step.thread] = std::exchange(self.depth[step.object], 0);
        end_section(step, self);
        break;
      case Op::Wake:
        self.depth[step.object] = depth_before_wait_[step.thread];
        begin_section(step, self, false);
        break;
      case Op::Fork: {
        Known& child = threads_[step.object].known;
        child.join(self.known);
        child.add(at_);
        break;
      }
      case Op::Join:
        self.known.join(threads_[step.object].known);
        break;
      case Op::BarrierArrive:
        arrive(step, self);
        break;
      case Op::BarrierLeave:
        leave(step, self);
        break;
      case Op::Fence:
        fence(step, self);
        break;
      case Op::AtomicLoad:
        load(step, self, step.order);
        lock_order(self);
        access(step, self);
        return;
      case Op::AtomicStore:
        lock_order(self);
        access(step, self);
        store(step, self);
        return;
      case Op::AtomicRmw:
        load(step, self, acquires(step.order) ? MemoryOrder::Acquire : MemoryOrder::Relaxed);
        lock_order(self);
        access(step, self);
        rmw(step, self);
        return;
      case Op::Allocate:
        for (std::size_t byte = step.offset; byte < std::size_t{step.offset} + step.bytes; ++byte) ++lives_[byte];
        lock_order(self);
        access({.thread = step.thread, .op = Op::Write, .offset = step.offset, .bytes = 1}, self);
        return;
      case Op::Read:
      case Op::Write:
      case Op::Free:
        lock_order(self);
        if (step.form == Form::ReadWrite && program_.recorded) {
          Step read = step;
          read.op = Op::Read;
          access(read, self);
        }
        access(step, self);
        return;
      case Op::Begin:
      case Op::End:
        break;
    }
    lock_order(self);
  }

  // ---- Sections.

  void begin_section(const Step& step, Thread& self, bool shared) {
    // Happens-before: after the ends of the rival sections before.
    const std::size_t number = sections_.size();
    sections_.push_back({.lock = step.object,
                         .thread = step.thread,
                         .shared = shared,
                         .start = at_,
                         .end = {},
                         .at_end = {},
                         .accesses = {},
                         .atomics = {}});
    self.held.push_back(number);
    self.known.begun.set(number);
    for (const Section& earlier : sections_) {
      if (!earlier.end || !earlier.is_rival(sections_[number])) continue;
      self.known.hb |= earlier.at_end.hb;
      self.known.wcp |= earlier.at_end.wcp;  // WCP composes with happens-before
    }
  }

  void end_section(const Step& step, Thread& self) {
    const auto held =
        std::ranges::find_if(self.held, [&](std::size_t number) { return sections_[number].lock == step.object; });
    Section& section = sections_[*held];
    lock_order(self);
    rule_b(section, self);
    section.end = at_;
    section.at_end = self.known;
    section.at_end.add(at_);
    self.held.erase(held);
  }

  /// Thread order: an event in a section that knows by hard edges that a rival section has begun is ordered after its
  /// end.
  void lock_order(Thread& self) {
    for (const std::size_t number : self.held) {
      for (std::size_t other = 0; other < sections_.size(); ++other) {
        const Section& earlier = sections_[other];
        if (!earlier.end || !earlier.is_rival(sections_[number]) || !self.known.begun.test(other)) continue;
        Known end = earlier.at_end;
        end.begun.reset();  // this is no edge by which sections are told
        self.known.join(end);
      }
    }
  }

  void order_after(const Section& earlier, Thread& self) {
    self.known.wdc |= earlier.at_end.wdc;
    self.known.dc |= earlier.at_end.dc;
    self.known.wcp |= earlier.at_end.hb;
  }

  /// Rule (a): after the ends of rival sections with a conflicting access.
  template <class Conflicts>
  void rule_a(Thread& self, Conflicts conflicts) {
    for (const std::size_t number : self.held) {
      for (const Section& earlier : sections_) {
        if (earlier.end && earlier.is_rival(sections_[number]) && conflicts(earlier)) order_after(earlier, self);
      }
    }
  }

  /// Rule (b), at the end of `mine`: after the ends of rival sections whose starts come before this end. In WCP also of
  /// the thread's own.
  void rule_b(const Section& mine, Thread& self) {
    for (bool grows = true; grows;) {
      grows = false;
      for (const Section& earlier : sections_) {
        if (!earlier.end || earlier.lock != mine.lock || (earlier.shared && mine.shared)) continue;
        if (earlier.thread != mine.thread && self.known.dc.test(earlier.start) && !self.known.dc.test(*earlier.end)) {
          self.known.dc |= earlier.at_end.dc;
          grows = true;
        }
        if (self.known.wcp.test(earlier.start) && !self.known.wcp.test(*earlier.end)) {
          self.known.wcp |= earlier.at_end.hb;
          grows = true;
        }
      }
    }
  }

  /// Orders the thread after the start of the holder's section, after the ends of the sections that the holder was in
  /// then, and after everything that the holder knows of other threads now.
  void refused(const Step& step, Thread& self) {
    // A repeated attempt is reported once (Recorder::refused).
    const bool again = self.refused_by == step.object;
    self.refused_by = step.object;
    if (relation_ == Relation::Hb || again) return lock_order(self);
    const Section* exclusive = nullptr;
    const Section* reader = nullptr;
    for (const Section& section : sections_) {
      if (section.lock != step.object || section.end) continue;
      if (!section.shared) exclusive = &section;
      if (section.shared && reader == nullptr) reader = &section;
    }
    const Section* const holder = exclusive != nullptr ? exclusive : reader;
    if (holder == nullptr || holder->thread == step.thread) return lock_order(self);
    Known known = threads_[holder->thread].known;
    const std::size_t until = end_of_sections_at(holder->thread, holder->start);
    for (std::size_t i = until + 1; i < at_; ++i) {
      if (program_.steps[i].thread != holder->thread) continue;
      for (Steps* set : {&known.hard, &known.hb, &known.wdc, &known.dc, &known.wcp}) set->reset(i);
    }
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].thread == holder->thread && sections_[i].start > until) known.begun.reset(i);
    }
    self.known.join(known);
    lock_order(self);
  }

  /// The last end of a section that the thread was in at this step, or at such an end; the step itself if all are open.
  std::size_t end_of_sections_at(std::size_t thread, std::size_t step) const {
    std::size_t latest = step;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Section& section : sections_) {
        if (section.thread != thread || section.start >= latest || !section.end || *section.end <= latest) continue;
        latest = *section.end;
        grows = true;
      }
    }
    return latest;
  }

  // ---- Hard edges.

  void arrive(const Step& step, Thread& self) {
    Barrier& barrier = barriers_[step.object];
    if (std::exchange(barrier.left, false)) barrier.rounds.emplace_back();
    self.round[step.object] = barrier.rounds.size() - 1;
    lock_order(self);
    Known known = self.known;
    known.add(at_);
    barrier.rounds.back().join(known);
  }
  void leave(const Step& step, Thread& self) {
    Barrier& barrier = barriers_[step.object];
    const std::size_t round = self.round.at(step.object);
    self.known.join(barrier.rounds[round]);
    if (round == barrier.rounds.size() - 1) barrier.left = true;
  }

  void fence(const Step& step, Thread& self) {
    if (acquires(step.order)) {
      self.known.join(self.to_acquire);
      self.to_acquire = {};
      lock_order(self);
    }
    if (releases(step.order)) {
      lock_order(self);
      self.fence_released = self.known;
      self.fence_released.add(at_);
    }
  }

  void load(const Step& step, Thread& self, MemoryOrder order) {
    atomic_conflict(step, self, false);
    const Known& sequence = atomics_[step.offset];
    if (acquires(order)) {
      self.known.join(sequence);
    } else {
      self.to_acquire.join(sequence);
    }
  }
  void store(const Step& step, Thread& self) {
    atomic_conflict(step, self, true);
    atomics_[step.offset] = released(step, self);
  }
  void rmw(const Step& step, Thread& self) {
    atomic_conflict(step, self, true);
    atomics_[step.offset].join(released(step, self));
  }
  Known released(const Step& step, const Thread& self) const {
    if (!releases(step.order)) return self.fence_released;
    Known known = self.known;
    known.add(at_);
    return known;
  }

  /// Atomic accesses of one address are no race, but conflict for rule (a).
  void atomic_conflict(const Step& step, Thread& self, bool write) {
    rule_a(self, [&](const Section& earlier) {
      return std::ranges::any_of(earlier.atomics, [&](const Section::Atomic& other) {
        return other.address == step.offset && (other.write || write);
      });
    });
    for (const std::size_t number : self.held) sections_[number].atomics.push_back({step.offset, write});
  }

  // ---- Accesses.

  /// Line by line: an access comes after all that rule (a) says of the bytes that it has of a line, and races after
  /// that.
  void access(const Step& step, Thread& self) {
    verdict_.hard_before[at_] = self.known.hard;
    const std::size_t end = std::size_t{step.offset} + step.bytes;
    for (std::size_t line = step.offset / kLine; line * kLine < end; ++line) {
      std::vector<std::size_t> touched;
      for (std::size_t byte = line * kLine; byte < (line + 1) * kLine; ++byte) {
        if (step.touches(byte) && classes_[byte] == byte) touched.push_back(byte);
      }
      for (const std::size_t byte : touched) learn(step, self, byte);
      for (const std::size_t byte : touched) judge(step, self, byte);
    }
    for (std::size_t byte = step.offset; byte < end; ++byte) {
      if (!step.touches(byte) || classes_[byte] != byte) continue;
      const Access now = access_of(step, byte);
      accesses_[byte].push_back(now);
      for (const std::size_t number : self.held) sections_[number].accesses.push_back({byte, now});
    }
    verdict_.happened_before[at_] = self.known.hb;
  }

  Access access_of(const Step& step, std::size_t byte) const {
    return {at_, step.thread, writes(step.op), is_atomic(step.op), lives_[byte]};
  }

  void learn(const Step& step, Thread& self, std::size_t byte) {
    const Access now = access_of(step, byte);
    rule_a(self, [&](const Section& earlier) {
      return std::ranges::any_of(earlier.accesses, [&](const Section::Accessed& other) {
        return other.byte_class == byte && conflict(other.access, now);
      });
    });
  }
  void judge(const Step& step, const Thread& self, std::size_t byte) {
    const Access now = access_of(step, byte);
    for (const Access& earlier : accesses_[byte]) {
      if (conflict(earlier, now) && !is_ordered(self.known, earlier.step)) {
        verdict_.races.push_back({earlier.step, at_, {static_cast<std::uint16_t>(byte), now.life}});
      }
    }
  }

  bool is_ordered(const Known& known, std::size_t earlier) const {
    switch (relation_) {
      case Relation::Hb:
        return known.hb.test(earlier);
      case Relation::Wcp:
        return known.wcp.test(earlier) || known.hard.test(earlier);
      case Relation::Dc:
        return known.dc.test(earlier);
      case Relation::Wdc:
        return known.wdc.test(earlier);
    }
    return false;
  }

  const Program& program_;
  Relation relation_;
  std::vector<std::uint16_t> classes_;
  std::vector<Thread> threads_;
  std::vector<Section> sections_;
  std::map<std::size_t, Barrier> barriers_;
  std::map<std::size_t, Known> atomics_;  ///< what a load would read, by address
  std::map<std::size_t, std::size_t> depth_before_wait_;
  std::vector<std::vector<Access>> accesses_;  ///< by the first byte of a class
  std::vector<std::uint16_t> lives_;
  std::size_t at_ = 0;
  Verdict verdict_;
};

}  // namespace

std::vector<std::uint16_t> byte_classes(const Program& program) {
  std::vector<Steps> users(kData);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!is_memory(step.op)) continue;
    for (std::size_t byte = step.offset; byte < std::size_t{step.offset} + step.bytes; ++byte) {
      if (step.touches(byte)) users[byte].set(i);
    }
  }
  // The first byte of a block is written when it is allocated, the others are not.
  std::vector<bool> is_first(kData);
  for (const Step& step : program.steps) {
    if (step.op == Op::Allocate) is_first[step.offset] = true;
  }
  // A class is within one cell.
  std::vector<std::uint16_t> classes(kData);
  for (std::size_t byte = 0; byte < kData; ++byte) {
    classes[byte] = static_cast<std::uint16_t>(byte);
    if (is_first[byte]) continue;
    for (std::size_t other = byte / kCell * kCell; other < byte; ++other) {
      if (users[other] == users[byte] && !is_first[other]) {
        classes[byte] = classes[other];
        break;
      }
    }
  }
  return classes;
}

Verdict define(const Program& program, Relation relation) {
  return Definition(program, relation).run();
}

}  // namespace omen::traces
