#include "test/judges/motifs.hpp"

namespace omen::judges {
namespace {

constexpr std::size_t kX = 0;      ///< the variable of the race that a motif is about
constexpr std::size_t kOther = 3;  ///< a lock that is not a link

class Builder {
 public:
  explicit Builder(Random& random, std::vector<Link> links = {}) : random_(random), links_(std::move(links)) {}

  Builder& step(std::size_t thread, Op op, std::size_t operand, MemoryOrder order = MemoryOrder::Relaxed) {
    motif_.push_back({thread, {op, operand, order}});
    return *this;
  }
  Builder& acq(std::size_t t, std::size_t m) { return step(t, Op::Acquire, m); }
  Builder& rel(std::size_t t, std::size_t m) { return step(t, Op::Release, m); }
  Builder& r(std::size_t t, std::size_t x) { return step(t, Op::Read, x); }
  Builder& w(std::size_t t, std::size_t x) { return step(t, Op::Write, x); }
  Builder& sync(std::size_t t, std::size_t o) { return acq(t, o).r(t, own(o)).w(t, own(o)).rel(t, o); }

  /// The releasing and the acquiring side of a link; `o` names it.
  Builder& give(std::size_t t, std::size_t o) {
    switch (kind(o)) {
      case Link::Section:
        return acq(t, o).w(t, own(o)).rel(t, o);
      case Link::Sync:
        return sync(t, o);
      case Link::Atomic:
        return step(t, Op::AtomicStore, o, MemoryOrder::Release);
      case Link::Barrier:
        return step(t, Op::BarrierArrive, o);
      case Link::AtomicSection:
        return acq(t, o).step(t, random_.percent(50) ? Op::AtomicStore : Op::AtomicRmw, o).rel(t, o);
    }
    return *this;
  }
  Builder& take(std::size_t t, std::size_t o) {
    switch (kind(o)) {
      case Link::Section:
        return acq(t, o).r(t, own(o)).rel(t, o);
      case Link::Sync:
        return sync(t, o);
      case Link::Atomic:
        return step(t, Op::AtomicLoad, o, MemoryOrder::Acquire);
      case Link::Barrier:
        return step(t, Op::BarrierArrive, o).step(t, Op::BarrierLeave, o);
      case Link::AtomicSection:
        return acq(t, o).step(t, random_.percent(50) ? Op::AtomicLoad : Op::AtomicRmw, o).rel(t, o);
    }
    return *this;
  }

  /// Two conflicting kinds of access.
  std::pair<Op, Op> conflicting() {
    constexpr std::pair<Op, Op> kKinds[] = {{Op::Read, Op::Write}, {Op::Write, Op::Read}, {Op::Write, Op::Write}};
    return kKinds[random_.below(3)];
  }

  Motif done() { return std::move(motif_); }

 private:
  static std::size_t own(std::size_t lock) { return lock + 1; }  ///< the variable that only sections on `lock` access

  Link kind(std::size_t o) {
    while (chosen_.size() <= o) chosen_.push_back(links_[random_.below(links_.size())]);
    return chosen_[o];
  }

  Random& random_;
  std::vector<Link> links_;
  std::vector<Link> chosen_;
  Motif motif_;
};

}  // namespace

Motif sections_without_conflict(Random& random) {
  Builder b(random);
  const auto [before, after] = b.conflicting();
  b.step(0, before, kX).acq(0, 0).w(0, 1).rel(0, 0);
  b.acq(1, 0).r(1, 2).rel(1, 0).step(1, after, kX);
  return b.done();
}

Motif order_composed_with_hb(Random& random) {
  Builder b(random);
  const auto [before, after] = b.conflicting();
  b.step(0, before, kX).acq(0, 0).w(0, 1).rel(0, 0);
  b.acq(1, 0).r(1, 1).rel(1, 0);
  b.acq(1, 1).rel(1, 1);
  b.acq(2, 1).rel(2, 1).step(2, after, kX);
  return b.done();
}

Motif order_between_sections(Random& random, const std::vector<Link>& links) {
  Builder b(random, links);
  const auto [before, after] = b.conflicting();
  const bool give_first = random.percent(80);
  b.acq(0, 0);
  if (give_first) b.give(0, 1);
  b.step(0, before, kX);
  if (!give_first) b.give(0, 1);
  b.rel(0, 0);
  b.take(1, 1).give(1, 2);
  const bool within = random.percent(70);  // whether the order comes back into the section, or before it
  if (!within) b.take(2, 2);
  b.acq(2, 0);
  if (within) b.take(2, 2);
  b.rel(2, 0).step(2, after, kX);
  return b.done();
}

Motif section_outlives_access(Random& random, const std::vector<Link>& links) {
  Builder b(random, links);
  const auto access = [&] { return random.percent(50) ? Op::Read : Op::Write; };
  b.acq(0, 0).step(0, access(), kX).give(0, 1);
  b.take(1, 1).step(1, access(), kX).give(1, 2);
  b.rel(0, 0);
  b.take(2, 2).acq(2, 0).step(2, access(), kX).rel(2, 0);
  return b.done();
}

Motif round_trip(Random& random) {
  Builder b(random);
  const auto [before, after] = b.conflicting();
  b.step(0, before, kX).acq(0, 0).acq(1, 1).r(0, 1).w(0, 1).rel(0, 0);
  b.acq(1, 0).r(1, 1).w(1, 1).rel(1, 0).rel(1, 1);
  b.acq(0, 1).rel(0, 1);
  b.acq(2, 1).step(2, after, kX).rel(2, 1);
  return b.done();
}

Motif back_into_own_section(Random& random, const std::vector<Link>& links) {
  Builder b(random, links);
  const auto [before, after] = b.conflicting();
  b.acq(0, 0).give(0, 1).step(0, before, kX).rel(0, 0);
  b.take(1, 1).give(1, 2);
  b.acq(0, 0).take(0, 2).rel(0, 0);
  b.acq(0, kOther).rel(0, kOther);  // ordered before T2 by HB, but not by the lock of the two sections
  b.acq(2, kOther).rel(2, kOther).step(2, after, kX);
  return b.done();
}

Motif rule_b_twice(Random& random, const std::vector<Link>& links) {
  Builder b(random, links);
  const auto [before, after] = b.conflicting();
  b.acq(0, 0).give(0, 1).acq(0, kOther).rel(0, 0).step(0, before, kX).rel(0, kOther);
  b.take(1, 1).give(1, 2);
  b.acq(2, 0).take(2, 2).rel(2, 0);
  b.acq(2, kOther).rel(2, kOther).step(2, after, kX);
  return b.done();
}

Motif sections_of_earlier_accesses(Random& random, const std::vector<Link>& links) {
  Builder b(random, links);
  constexpr std::size_t kContested = 1;
  const auto [before, after] = b.conflicting();
  const auto access = [&](std::size_t t, bool in_section) {
    if (in_section) b.acq(t, 0);
    b.step(t, random.percent(50) ? Op::Read : Op::Write, kContested);
    if (in_section) b.rel(t, 0);
  };
  b.step(0, before, kX).acq(0, kOther).rel(0, kOther);
  b.acq(1, kOther).rel(1, kOther);
  for (std::size_t n = random.between(1, 3); n > 0; --n) access(1, random.percent(70));
  b.give(1, 1).take(2, 1);
  for (std::size_t n = random.below(3); n > 0; --n) access(2, random.percent(20));
  b.give(2, 2).take(3, 2);
  access(3, true);
  b.step(3, after, kX);
  return b.done();
}

Motif publication(Random& random) {
  Builder b(random);
  constexpr MemoryOrder kOrders[] = {MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Release,
                                     MemoryOrder::AcqRel, MemoryOrder::SeqCst};
  const auto atomic = [&](std::size_t t, Op op) {
    MemoryOrder order = kOrders[random.below(5)];
    while (!order_fits(op, order)) order = kOrders[random.below(5)];
    b.step(t, op, 0, order);
  };
  const auto maybe_fence = [&](std::size_t t) {
    if (random.percent(50)) atomic(t, Op::Fence);
  };
  const auto [before, after] = b.conflicting();
  b.step(0, before, kX);
  maybe_fence(0);
  atomic(0, random.percent(70) ? Op::AtomicStore : Op::AtomicRmw);
  for (std::size_t n = random.below(3); n > 0; --n) atomic(1, random.percent(80) ? Op::AtomicRmw : Op::AtomicStore);
  atomic(2, random.percent(70) ? Op::AtomicLoad : Op::AtomicRmw);
  maybe_fence(2);
  b.step(2, after, kX);
  return b.done();
}

Motif fork_in_section(Random& random) {
  Builder b(random);
  const auto [before, after] = b.conflicting();
  const bool accesses_first = random.percent(50);
  const std::size_t last = random.between(1, 2);  // the thread that meets the section: a child, or its child
  const bool reader = random.percent(25);
  const bool later_reader = random.percent(25);
  b.step(0, reader ? Op::AcquireShared : Op::Acquire, 0);
  if (accesses_first) b.step(0, before, kX);
  b.step(0, Op::Fork, 1);
  if (!accesses_first) b.step(0, before, kX);
  if (last == 2) b.step(1, Op::Fork, 2);
  b.step(0, reader ? Op::ReleaseShared : Op::Release, 0);
  b.step(last, later_reader ? Op::AcquireShared : Op::Acquire, 0);
  if (random.percent(30)) b.r(last, 1);
  b.step(last, later_reader ? Op::ReleaseShared : Op::Release, 0).step(last, after, kX);
  return b.done();
}

Motif join_in_section(Random& random) {
  Builder b(random);
  const auto [before, after] = b.conflicting();
  b.step(0, Op::Fork, 1);
  if (random.percent(70)) b.step(1, before, kX);
  b.acq(1, 0);
  if (random.percent(30)) b.w(1, 1);
  b.rel(1, 0);
  b.acq(0, 0).step(0, after, kX).step(0, Op::Join, 1);
  if (random.percent(50)) b.r(0, 1);
  b.rel(0, 0);
  return b.done();
}

Motif atomics_in_sections(Random& random) {
  Builder b(random);
  const auto [before, after] = b.conflicting();
  const auto section = [&](std::size_t t, bool reads_only) {
    const bool shared = random.percent(30);
    b.step(t, shared ? Op::AcquireShared : Op::Acquire, 0);
    for (std::size_t n = random.between(1, 2); n > 0; --n) {
      const bool reads = reads_only || random.percent(40);
      b.step(t, reads ? Op::AtomicLoad : random.percent(50) ? Op::AtomicStore : Op::AtomicRmw, 0);
    }
    b.step(t, shared ? Op::ReleaseShared : Op::Release, 0);
  };
  b.step(0, before, kX);
  section(0, random.percent(30));
  for (std::size_t n = random.below(4); n > 0; --n) section(random.below(3), random.percent(40));
  section(2, random.percent(40));
  b.step(2, after, kX);
  return b.done();
}

Motif two_readers_one_writer(Random& random) {
  Builder b(random);
  b.acq(0, 0).r(0, kX).sync(0, 1);
  b.sync(1, 1).acq(1, 2).r(1, kX).rel(1, 2);
  b.acq(2, 2).w(2, kX).rel(2, 2);
  b.rel(0, 0);
  return b.done();
}

}  // namespace omen::judges
