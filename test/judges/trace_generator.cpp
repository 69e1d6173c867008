#include "test/judges/trace_generator.hpp"

#include <algorithm>
#include <utility>

#include "test/judges/motifs.hpp"

namespace omen::judges {
namespace {

class Generator {
 public:
  Generator(Shape shape, std::uint64_t seed, const Limits& limits)
      : shape_(shape), random_(seed * 16 + static_cast<std::uint64_t>(shape)), max_events_(limits.max_events) {
    threads_ = random_.between(limits.threads.low, limits.threads.high);
    locks_ = random_.between(limits.locks.low, limits.locks.high);
    variables_ = random_.between(limits.variables.low, limits.variables.high);
  }

  Trace run() {
    scene_.recursive = shape_ == Shape::Rich;
    if (random_.percent(55)) {
      place_motif();
      shake(random_.below(4));
    } else {
      max_events_ = random_.between(std::min<std::size_t>(6, max_events_), max_events_);
      while (scene_.schedule.size() < max_events_) block(random_.below(threads_));
      shake(random_.below(12));
    }
    if (shape_ == Shape::Forky || (shape_ == Shape::Guarded && random_.percent(35)) ||
        (shape_ == Shape::Rich && random_.percent(30)))
      add_forks_and_joins();
    if (shape_ == Shape::Rich) add_begins_and_ends();
    return interleave(std::move(scene_), max_events_, random_);
  }

 private:
  std::size_t any_lock() { return random_.below(locks_); }
  std::size_t any_variable() { return random_.below(variables_); }
  Op any_access() { return random_.percent(50) ? Op::Read : Op::Write; }
  void access(std::size_t t, std::size_t x) { scene_.add(t, {any_access(), x}); }

  // ---- Blocks: the parts of a shape.

  void block(std::size_t t) {
    switch (shape_) {
      case Shape::Uniform:
        return uniform_block(t);
      case Shape::Disciplined:
        return disciplined_block(t);
      case Shape::Handoff:
        return handoff_block(t);
      case Shape::Nested:
        return nested_block(t);
      case Shape::Forky:
        return random_.percent(50) ? uniform_block(t) : handoff_block(t);
      case Shape::Rich:
        return rich_block(t);
      case Shape::Guarded:
        return guarded_block(t);
    }
  }

  void uniform_block(std::size_t t) {
    switch (random_.below(4)) {
      case 0:
        return scene_.add(t, {Op::Acquire, any_lock()});
      case 1:
        return scene_.add(t, {Op::Release, any_lock()});
      default:
        return access(t, any_variable());
    }
  }

  void disciplined_block(std::size_t t) {
    const std::size_t x = any_variable();
    if (random_.percent(15)) return access(t, x);
    const std::size_t guard = random_.percent(90) ? x % locks_ : any_lock();
    scene_.add(t, {Op::Acquire, guard});
    for (std::size_t n = random_.between(1, 3); n > 0; --n) access(t, random_.percent(85) ? x : any_variable());
    scene_.add(t, {Op::Release, guard});
  }

  void handoff_block(std::size_t t) {
    const std::size_t kind = random_.below(10);
    if (kind < 2) return access(t, any_variable());
    const std::size_t o = any_lock();
    scene_.add(t, {Op::Acquire, o});
    if (kind < 8) {
      // As in the papers' sync(o): a variable that belongs to the lock. Its numbers follow those of the shared
      // variables.
      scene_.add(t, {Op::Read, variables_ + o});
      scene_.add(t, {Op::Write, variables_ + o});
    } else if (kind < 9) {
      access(t, any_variable());
    }
    scene_.add(t, {Op::Release, o});
  }

  void nested_block(std::size_t t) {
    if (random_.percent(15)) return access(t, any_variable());
    std::vector<std::size_t> held;
    for (std::size_t depth = random_.between(1, 4); depth > 0; --depth) {
      held.push_back(any_lock());
      scene_.add(t, {Op::Acquire, held.back()});
      if (random_.percent(50)) access(t, any_variable());
    }
    const bool in_any_order = random_.percent(40);
    while (!held.empty()) {
      const std::size_t at = in_any_order ? random_.below(held.size()) : held.size() - 1;
      scene_.add(t, {Op::Release, held[at]});
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
      if (random_.percent(25)) access(t, any_variable());
    }
  }

  void rich_block(std::size_t t) {
    switch (random_.below(10)) {
      case 0:
      case 1:
        return shared_section(t);
      case 2:
        return recursive_section(t);
      case 3:
        return waiting_section(t);
      case 4:
        return barrier(t);
      case 5:
      case 6:
        return atomic(t);
      case 7:
        if (random_.percent(60)) return access(t, any_variable());
        return scene_.add(t, {random_.percent(50) ? Op::Allocate : Op::Free, any_variable()});
      default:
        return handoff_block(t);
    }
  }

  void guarded_block(std::size_t t) {
    const std::size_t kind = random_.below(10);
    if (kind < 2) return access(t, any_variable());
    if (kind < 4) return handoff_block(t);
    atomic_section(t);
  }

  /// Mostly relaxed accesses; others add hard order.
  void atomic_section(std::size_t t) {
    const std::size_t m = any_lock();
    const bool reader = random_.percent(25);
    scene_.add(t, {reader ? Op::AcquireShared : Op::Acquire, m});
    for (std::size_t n = random_.between(1, 3); n > 0; --n) {
      if (random_.percent(80)) {
        constexpr Op kOps[] = {Op::AtomicLoad, Op::AtomicStore, Op::AtomicRmw};
        scene_.add(t, {kOps[random_.below(3)], random_.below(3)});
      } else if (random_.percent(25)) {
        atomic(t);
      } else {
        access(t, any_variable());
      }
    }
    scene_.add(t, {reader ? Op::ReleaseShared : Op::Release, m});
  }

  void shared_section(std::size_t t) {
    const std::size_t m = any_lock();
    const bool reader = random_.percent(65);
    scene_.add(t, {reader ? Op::AcquireShared : Op::Acquire, m});
    for (std::size_t n = random_.below(3); n > 0; --n) access(t, any_variable());
    scene_.add(t, {reader ? Op::ReleaseShared : Op::Release, m});
  }

  void recursive_section(std::size_t t) {
    const std::size_t m = any_lock();
    const bool reader = random_.percent(25);
    const Op in = reader ? Op::AcquireShared : Op::Acquire;
    const Op out = reader ? Op::ReleaseShared : Op::Release;
    for (const Op op : {in, in, out, out}) {
      scene_.add(t, {op, m});
      if (op == out || random_.percent(50)) access(t, any_variable());
    }
  }

  void waiting_section(std::size_t t) {
    const std::size_t m = any_lock();
    const bool twice = random_.percent(25);
    scene_.add(t, {Op::Acquire, m});
    if (twice) scene_.add(t, {Op::Acquire, m});
    if (random_.percent(60)) access(t, any_variable());
    scene_.add(t, {Op::Wait, m});
    scene_.add(t, {Op::Wake, m});
    if (random_.percent(60)) access(t, any_variable());
    scene_.add(t, {Op::Release, m});
    if (twice) scene_.add(t, {Op::Release, m});
  }

  void barrier(std::size_t t) {
    const std::size_t b = random_.below(2);
    std::vector<std::size_t> parties{t};
    while (parties.size() < 3 && random_.percent(70)) parties.push_back(random_.below(threads_));
    for (const std::size_t u : parties) scene_.add(u, {Op::BarrierArrive, b});
    if (random_.percent(30)) {  // a fast thread arrives again before the others have left
      scene_.add(t, {Op::BarrierLeave, b});
      scene_.add(t, {Op::BarrierArrive, b});
    }
    for (const std::size_t u : parties) scene_.add(u, {Op::BarrierLeave, b});
  }

  void atomic(std::size_t t) {
    constexpr std::pair<Op, MemoryOrder> kKinds[] = {
        {Op::AtomicLoad, MemoryOrder::Relaxed},  {Op::AtomicLoad, MemoryOrder::Acquire},
        {Op::AtomicLoad, MemoryOrder::Acquire},  {Op::AtomicLoad, MemoryOrder::SeqCst},
        {Op::AtomicStore, MemoryOrder::Relaxed}, {Op::AtomicStore, MemoryOrder::Release},
        {Op::AtomicStore, MemoryOrder::Release}, {Op::AtomicStore, MemoryOrder::SeqCst},
        {Op::AtomicRmw, MemoryOrder::Relaxed},   {Op::AtomicRmw, MemoryOrder::Acquire},
        {Op::AtomicRmw, MemoryOrder::Release},   {Op::AtomicRmw, MemoryOrder::AcqRel},
        {Op::Fence, MemoryOrder::Acquire},       {Op::Fence, MemoryOrder::Release},
        {Op::Fence, MemoryOrder::AcqRel},        {Op::Fence, MemoryOrder::SeqCst},
    };
    const auto& [op, order] = kKinds[random_.below(std::size(kKinds))];
    scene_.add(t, {op, op == Op::Fence ? 0 : random_.below(2), order});
  }

  // ---- Motifs.

  Motif any_motif() {
    std::vector<Link> links{Link::Section, Link::Sync};
    if (shape_ == Shape::Rich) links.insert(links.end(), {Link::Atomic, Link::Barrier, Link::AtomicSection});
    if (shape_ == Shape::Guarded) {
      links = {Link::AtomicSection, Link::AtomicSection, Link::Section};
      if (random_.percent(30)) return atomics_in_sections(random_);
      if (random_.percent(40)) return fork_in_section(random_);
      if (random_.percent(30)) return join_in_section(random_);
    }
    if (shape_ == Shape::Forky && random_.percent(10)) return fork_in_section(random_);
    if (shape_ == Shape::Forky && random_.percent(5)) return join_in_section(random_);
    if (shape_ == Shape::Rich && random_.percent(25)) return publication(random_);
    if (shape_ == Shape::Rich && random_.percent(25)) {
      return sections_of_earlier_accesses(random_, {Link::Atomic, Link::Barrier});
    }
    switch (random_.below(16)) {
      case 0:
        return sections_without_conflict(random_);
      case 1:
      case 2:
      case 3:
        return order_composed_with_hb(random_);
      case 4:
        return round_trip(random_);
      case 5:
        return two_readers_one_writer(random_);
      case 6:
      case 7:
        return section_outlives_access(random_, links);
      case 8:
      case 9:
        return back_into_own_section(random_, links);
      case 10:
      case 11:
        return rule_b_twice(random_, links);
      default:
        return order_between_sections(random_, links);
    }
  }

  /// The motif, with some steps flipped, dropped or inserted. Extra blocks may use its locks and variables.
  void place_motif() {
    const Motif motif = any_motif();
    locks_ = std::max<std::size_t>(locks_, 3);
    variables_ = std::max<std::size_t>(variables_, 4);
    threads_ = std::max<std::size_t>(threads_, 3);
    const std::size_t noise = random_.below(12);
    const std::size_t damage = random_.below(5);
    for (MotifStep next : motif) {
      if (random_.percent(noise)) block(random_.below(threads_));
      if (random_.percent(damage)) continue;
      if (is_access(next.step.op) && random_.percent(damage)) next.step.op = any_access();
      if (shape_ == Shape::Rich && next.step.op == Op::Acquire && random_.percent(damage))
        next.step.op = Op::AcquireShared;
      scene_.add(next.thread, next.step);
    }
    const std::size_t tail = random_.below(8);
    for (std::size_t n = 0; n < tail; ++n) block(random_.below(threads_));
  }

  /// Swaps turns that are up to `strength` apart.
  void shake(std::size_t strength) {
    auto& schedule = scene_.schedule;
    if (strength == 0) return;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      if (!random_.percent(20)) continue;
      std::swap(schedule[i], schedule[std::min(i + random_.between(1, strength), schedule.size() - 1)]);
    }
  }

  // ---- Threads' lives.

  void insert(std::size_t t, std::size_t at, Step step) {
    auto& program = scene_.programs[t];
    program.insert(program.begin() + static_cast<std::ptrdiff_t>(std::min(at, program.size())), step);
  }

  /// Forks go from lower to higher threads, so that no thread waits for its own child. A turn is added for each.
  void add_forks_and_joins() {
    const std::size_t n = scene_.programs.size();
    for (std::size_t child = 1; child < n; ++child) {
      if (!random_.percent(70)) continue;
      const std::size_t parent = random_.below(child);
      // Mostly early: the child's own turns come with its steps.
      const std::size_t at = random_.percent(60) ? 0 : random_.below(scene_.programs[parent].size() + 1) / 2;
      insert(parent, at, {Op::Fork, child});
      scene_.schedule.insert(scene_.schedule.begin(), parent);
    }
    for (std::size_t joins = random_.below(4); joins > 0; --joins) {
      const std::size_t t = random_.below(n);
      const bool late = random_.percent(70);
      insert(t, late ? scene_.programs[t].size() : random_.below(scene_.programs[t].size() + 1),
             {Op::Join, random_.below(n)});
      scene_.schedule.push_back(t);
    }
  }

  void add_begins_and_ends() {
    for (std::size_t t = 0; t < scene_.programs.size(); ++t) {
      if (random_.percent(20)) insert(t, 0, {Op::Begin});
      if (random_.percent(20)) insert(t, scene_.programs[t].size(), {Op::End});
    }
  }

  Shape shape_;
  Random random_;
  std::size_t max_events_;
  std::size_t threads_ = 0;
  std::size_t locks_ = 0;
  std::size_t variables_ = 0;
  Scene scene_;
};

}  // namespace

std::string_view name(Shape shape) {
  switch (shape) {
    case Shape::Uniform:
      return "uniform";
    case Shape::Disciplined:
      return "disciplined";
    case Shape::Handoff:
      return "handoff";
    case Shape::Nested:
      return "nested";
    case Shape::Forky:
      return "forky";
    case Shape::Rich:
      return "rich";
    case Shape::Guarded:
      return "guarded";
  }
  return "?";
}

Trace generate(Shape shape, std::uint64_t seed, const Limits& limits) {
  return Generator(shape, seed, limits).run();
}

}  // namespace omen::judges
