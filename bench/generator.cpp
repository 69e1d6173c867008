#include "bench/generator.hpp"

#include <algorithm>
#include <cmath>

namespace omen::bench {
namespace {

constexpr std::size_t kBlock = 16'384;
constexpr double kAcquireInside = 1.0 / 3;  // probability that a synchronisation inside a section is an acquire
constexpr double kSharedWrites = 0.001;
constexpr std::uint32_t kSites = 500;  // source locations per operation
constexpr std::uint32_t kTries = 8;    // to find a free lock

}  // namespace

std::string GeneratorOptions::complaint() const {
  const auto share = [](double s) { return s >= 0 && s <= 1; };
  if (threads == 0) return "at least one thread is needed";
  if (variables < threads + locks + 1) return "at least one variable for each thread and lock, and one more, is needed";
  if (!share(sync_share) || !share(read_share) || !share(locality)) return "a share is between 0 and 100 percent";
  if (sync_share == 1) return "some events must be accesses";
  if (sync_share > 0 && (locks == 0 || nesting == 0)) return "synchronisation needs locks and a nesting of at least 1";
  double sum = 0;
  for (const double part : mix) {
    if (!share(part)) return "a share is between 0 and 100 percent";
    sum += part;
  }
  if (std::abs(sum - 1) > 1e-9) return "the four parts of the mix must add up to 100";
  if (!uniform && mix[1] > 0 && (locks == 0 || sync_share == 0)) return "guarded accesses need locks";
  return {};
}

Generator::Generator(const GeneratorOptions& options)
    : options_(options), random_(options.seed), held_(options.threads), last_(options.threads), taken_(options.locks) {
  // Every thread has at least one local variable, every lock at least one guarded variable.
  const std::uint32_t rest = options.variables - options.threads - options.locks;
  const std::uint32_t shared = std::clamp(static_cast<std::uint32_t>(options.variables * options.mix[2]), 1U, rest);
  const std::uint32_t free = rest - shared;
  const double disciplined = options.mix[0] + options.mix[1];
  const double local_part = disciplined > 0 ? options.mix[0] / disciplined : 0;
  const std::uint32_t local = options.threads + static_cast<std::uint32_t>(free * local_part);
  parts_[0] = {0, local};
  parts_[1] = {local, options.variables - shared - local};
  parts_[2] = {options.variables - shared, shared};
  make_names();
  block_.reserve(kBlock);
}

/// Interns all names first, so that identifiers are plain numbers afterwards.
void Generator::make_names() {
  const auto fill = [this](OperandKind kind, char letter, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) names_.of(kind).intern(letter + std::to_string(i));
  };
  fill(OperandKind::Thread, 'T', options_.threads);
  fill(OperandKind::Lock, 'L', options_.locks);
  fill(OperandKind::Variable, 'V', options_.variables);
  for (std::uint32_t site = 0; site < kSites * 5; ++site)
    names_.locations().intern("bench.cpp:" + std::to_string(site + 1));
}

std::span<const Event> Generator::next() {
  block_.clear();
  while (block_.size() < kBlock && made_ < options_.events) {
    block_.push_back(step());
    ++made_;
  }
  return block_;
}

Event Generator::step() {
  if (made_ + 1 < options_.threads) return at(0, Op::Fork, static_cast<std::uint32_t>(made_ + 1));
  const std::uint32_t thread = random_.below(options_.threads);
  Event event;
  if (random_.chance(options_.sync_share) && synchronise(thread, event)) return event;
  return access(thread);
}

/// Makes an acquire or a release by `thread`; false if it holds no lock and finds none free.
bool Generator::synchronise(std::uint32_t thread, Event& event) {
  std::vector<std::uint32_t>& held = held_[thread];
  if (held.empty() || (held.size() < options_.nesting && random_.chance(kAcquireInside))) {
    for (std::uint32_t i = 0; i < kTries; ++i) {
      const std::uint32_t lock = random_.below(options_.locks);
      if (taken_[lock]) continue;
      taken_[lock] = true;
      held.push_back(lock);
      event = at(thread, Op::Acquire, lock);
      return true;
    }
    if (held.empty()) return false;
  }
  const std::uint32_t lock = held.back();
  held.pop_back();
  taken_[lock] = false;
  event = at(thread, Op::Release, lock);
  return true;
}

Event Generator::access(std::uint32_t thread) {
  const auto read_or_write = [this] { return random_.chance(options_.read_share) ? Op::Read : Op::Write; };
  Event again;
  if (options_.locality > 0 && random_.chance(options_.locality) && repeat(thread, again)) return again;
  if (options_.uniform)
    return remember(thread, at(thread, read_or_write(), random_.below(options_.variables)), Discipline::Local);

  const std::vector<std::uint32_t>& held = held_[thread];
  switch (draw(!held.empty())) {
    case Discipline::Local: {
      // The variables of a part are distributed round-robin: over threads here, over locks in guarded_variable.
      const std::uint32_t mine = (parts_[0].count - thread + options_.threads - 1) / options_.threads;
      const std::uint32_t variable = parts_[0].first + thread + options_.threads * random_.below(mine);
      return remember(thread, at(thread, read_or_write(), variable), Discipline::Local);
    }
    case Discipline::Guarded: {
      const std::uint32_t lock = held[random_.below(static_cast<std::uint32_t>(held.size()))];
      return remember(thread, at(thread, read_or_write(), guarded_variable(lock)), Discipline::Guarded, lock);
    }
    case Discipline::ReadShared: {
      const std::uint32_t variable = parts_[2].first + random_.below(parts_[2].count);
      const bool holds_guard = std::ranges::find(held, variable % std::max(options_.locks, 1U)) != held.end();
      // The guard is among the held locks with probability held / locks: scaled, so that the overall share is right.
      const double scaled = kSharedWrites * options_.locks / std::max<double>(1, static_cast<double>(held.size()));
      return remember(thread, at(thread, holds_guard && random_.chance(scaled) ? Op::Write : Op::Read, variable),
                      Discipline::ReadShared);
    }
    case Discipline::Wild:
      break;
  }
  return at(thread, read_or_write(), random_.below(options_.variables));
}

Event Generator::remember(std::uint32_t thread, Event event, Discipline discipline, std::uint32_t lock) {
  last_[thread] = {true, event, discipline, lock};
  return event;
}

/// Repeats the thread's previous access, if its discipline still allows it. Shared variables are only read again.
bool Generator::repeat(std::uint32_t thread, Event& event) {
  const Last& last = last_[thread];
  if (!last.any) return false;
  const auto& held = held_[thread];
  if (last.discipline == Discipline::Guarded && std::ranges::find(held, last.lock) == held.end()) return false;
  const bool reads = last.discipline == Discipline::ReadShared || random_.chance(options_.read_share);
  event = at(thread, reads ? Op::Read : Op::Write, last.event.operand);
  return true;
}

/// Draws from the mix. A guarded access drawn while no lock is held is postponed, and replaces another draw while one
/// is held.
Generator::Discipline Generator::draw(bool holds_lock) {
  const auto once = [this] {
    for (std::size_t i = 0; i < 3; ++i) {
      double before = 0;
      for (std::size_t j = 0; j < i; ++j) before += options_.mix[j];
      if (random_.chance(options_.mix[i] / (1 - before))) return static_cast<Discipline>(i);
    }
    return Discipline::Wild;
  };
  Discipline drawn = once();
  if (holds_lock) {
    if (drawn != Discipline::Guarded && guarded_owed_ > 0) {
      --guarded_owed_;
      return Discipline::Guarded;
    }
    return drawn;
  }
  while (drawn == Discipline::Guarded) {
    ++guarded_owed_;
    drawn = once();
  }
  return drawn;
}

std::uint32_t Generator::guarded_variable(std::uint32_t lock) {
  const std::uint32_t mine = (parts_[1].count - lock + options_.locks - 1) / options_.locks;
  return parts_[1].first + lock + options_.locks * random_.below(mine);
}

/// The location depends on the operation and the operand, as in a program where each location touches a few objects.
Event Generator::at(std::uint32_t thread, Op op, std::uint32_t operand) const {
  Event event;
  event.thread = ThreadId{thread};
  event.op = op;
  event.operand = operand;
  event.location = LocationId{static_cast<std::uint32_t>(op) * kSites + operand % kSites};
  return event;
}

}  // namespace omen::bench
