#include "test/online/traces/generator.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "test/judges/random.hpp"

namespace omen::traces {
namespace {

using judges::Random;

constexpr std::size_t kLocksAt = kData + 64;

enum class Layout : std::uint8_t { Lines, Words, Halves, Bytes, AcrossCells, AcrossLines, Overlapping, Wild, Blocks };
constexpr std::size_t kLayouts = 9;

struct Piece {
  std::size_t offset;
  std::size_t bytes;
};

/// The offsets of the objects of the trace.
class Places {
 public:
  explicit Places(Random& random)
      : random_(random), layout_(static_cast<Layout>(random.below(kLayouts))), start_(random.below(24) * 8) {
    size_ = std::size_t{1} << random_.below(5);
    mixes_ = random_.percent(35);
    beside_ = random_.percent(50);
  }

  bool heap() const { return layout_ == Layout::Blocks; }
  /// Freed memory is not used atomically.
  void keep_atomics_apart() { mixes_ = false; }

  Piece variable(std::size_t x) {
    switch (layout_) {
      case Layout::Lines:
        return {start_ + x * 64, size_};
      case Layout::Words:
        return {start_ + x * 8, 8};
      case Layout::Halves:
        return {start_ + x * 4, 4};
      case Layout::Bytes:
        return {start_ + x, 1};
      case Layout::AcrossCells:
        return {start_ + x * 16 + 5, 8};
      case Layout::AcrossLines:
        return {start_ / 64 * 64 + x * 64 + 60, 8};
      case Layout::Overlapping:
        return {start_ + x * 4, 8};
      case Layout::Wild: {
        const auto [place, is_new] = wild_.try_emplace(x);
        if (is_new) place->second = {start_ + random_.below(96), random_.between(1, 16)};
        return place->second;
      }
      case Layout::Blocks:
        return {start_ / 16 * 16 + 16 + x * 64, 24};
    }
    return {};
  }

  /// Aligned by its size, as the compilers have them.
  Piece atomic(std::size_t a, std::size_t variables) {
    const auto [place, is_new] = atomics_.try_emplace(a);
    if (is_new) {
      const std::size_t bytes = std::size_t{1} << random_.below(5);
      std::size_t offset = 1536 + a * 64;
      if (mixes_ && random_.percent(60)) {
        offset = variable(random_.below(variables)).offset;
      } else if (beside_ && !heap()) {
        offset = variable(variables).offset + 16 + a * 16;
      }
      place->second = {offset / bytes * bytes, bytes};
    }
    Piece piece = place->second;
    if (mixes_ && random_.percent(10)) piece.bytes = std::max<std::size_t>(1, piece.bytes / 2);  // a part of it
    return piece;
  }

 private:
  Random& random_;
  Layout layout_;
  std::size_t start_;
  std::size_t size_ = 8;
  bool mixes_ = false;
  bool beside_ = false;
  std::map<std::size_t, Piece> wild_;
  std::map<std::size_t, Piece> atomics_;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed * 7919 + 17), places_(random_) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    trace_ = judges::generate(shape, seed, {.max_events = 48});
    variables_ = std::max<std::size_t>(1, trace_.names.of(OperandKind::Variable).size());
    whole_ = random_.between(40, 100);
    if (std::ranges::any_of(trace_.events, [](const Event& e) { return e.op == Op::Allocate || e.op == Op::Free; })) {
      places_.keep_atomics_apart();
    }
  }

  Program run() {
    program_.heap = places_.heap();
    const std::size_t distance = random_.percent(50) ? 64 : 8;
    for (std::size_t m = 0; m < kMostLocks; ++m) {
      program_.locks[m] = static_cast<std::uint16_t>(kLocksAt + m * distance);
    }
    for (const Event& event : trace_.events) add(event);
    if (random_.percent(25)) add_attempts();
    return possible_part(program_);
  }

 private:
  void add(const Event& event) {
    Step step{.thread = static_cast<std::uint8_t>(index(event.thread)),
              .op = event.op,
              .order = event.order,
              .object = static_cast<std::uint8_t>(event.operand)};
    if (is_access(event.op)) {
      plain(step, event.operand);
    } else if (event.op == Op::Allocate) {
      put(step, places_.variable(event.operand));
    } else if (is_atomic(event.op)) {
      put(step, places_.atomic(event.operand, variables_));
      if (event.op == Op::AtomicRmw && random_.percent(30)) step.form = Form::Exchange;
      if (event.op == Op::AtomicLoad && random_.percent(20)) step.form = Form::FailedChange;
    }
    program_.steps.push_back(step);
  }

  static void put(Step& step, Piece piece) {
    step.offset = static_cast<std::uint16_t>(piece.offset);
    step.bytes = static_cast<std::uint16_t>(piece.bytes);
  }

  /// The whole variable, or a part of it, or more than that; by one of the functions that fit.
  void plain(Step& step, std::size_t variable) {
    Piece piece = places_.variable(variable);
    if (step.op == Op::Free) return put(step, piece);
    if (!random_.percent(whole_)) {
      switch (random_.below(4)) {
        case 0: {  // a part
          const std::size_t skipped = random_.below(piece.bytes);
          piece = {piece.offset + skipped, random_.between(1, piece.bytes - skipped)};
          break;
        }
        case 1:  // the next ones too
          piece.bytes = random_.between(1, 20);
          break;
        case 2:  // many
          piece.bytes = random_.between(1, 200);
          break;
        default:
          piece.bytes = std::size_t{1} << random_.below(5);
          break;
      }
    }
    put(step, piece);
    const bool is_sized = piece.bytes <= 16 && (piece.bytes & (piece.bytes - 1)) == 0;
    const bool is_aligned = piece.offset % std::max<std::size_t>(1, piece.bytes) == 0;
    step.form = is_sized ? (is_aligned ? Form::Sized : Form::Unaligned) : Form::Range;
    if (is_sized && is_aligned && step.op == Op::Write && random_.percent(10)) step.form = Form::ReadWrite;
    if (random_.percent(15)) step.form = random_.percent(50) ? Form::Range : Form::TsanRange;
    if (piece.bytes <= 64 && random_.percent(15)) {
      step.form = Form::Bytes;
      step.mask = ~std::uint64_t{0} >> (64 - piece.bytes);
      if (random_.percent(50)) step.mask &= random_.next() | 1;
    }
  }

  void add_attempts() {
    for (std::size_t n = random_.between(1, 4); n > 0; --n) {
      const Step attempt{.thread = static_cast<std::uint8_t>(random_.below(program_.threads())),
                         .op = random_.percent(70) ? Op::Acquire : Op::AcquireShared,
                         .refused = true,
                         .object = static_cast<std::uint8_t>(random_.below(4))};
      program_.steps.insert(
          program_.steps.begin() + static_cast<std::ptrdiff_t>(random_.below(program_.steps.size() + 1)), attempt);
    }
  }

  Random random_;
  Places places_;
  Trace trace_;
  std::size_t variables_ = 1;
  std::size_t whole_ = 100;  ///< of a hundred accesses
  Program program_;
};

/// Programs that do whatever is possible with a few lines of memory: much of it atomically, freed and allocated, in
/// parts. They have no trace for the judges.
class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : random_(seed * 6151 + 5) {
    threads_ = random_.between(2, 5);
    locks_ = random_.between(1, 3);
    area_ = std::size_t{8} << random_.below(6);
    accesses_ = random_.between(30, 80);
    atomics_ = random_.below(30);
    lives_ = random_.percent(30) ? 4 : 0;
  }

  Program run() {
    for (std::size_t m = 0; m < kMostLocks; ++m) program_.locks[m] = static_cast<std::uint16_t>(kLocksAt + m * 8);
    for (std::size_t n = random_.between(10, 110); n > 0; --n) program_.steps.push_back(step());
    return possible_part(program_);
  }

 private:
  Step step() {
    Step step{.thread = static_cast<std::uint8_t>(random_.below(threads_))};
    const std::size_t kind = random_.below(100);
    if (kind < lives_) {
      step.op = random_.percent(60) ? Op::Allocate : Op::Free;
      put(step, random_.below(area_), random_.between(1, 24));
    } else if (kind < accesses_) {
      plain(step);
    } else if (random_.below(100) < atomics_ && lives_ == 0) {
      atomic(step);
    } else {
      synchronisation(step);
    }
    return step;
  }
  static void put(Step& step, std::size_t offset, std::size_t bytes) {
    step.offset = static_cast<std::uint16_t>(256 + offset);
    step.bytes = static_cast<std::uint16_t>(bytes);
  }
  void plain(Step& step) {
    step.op = random_.percent(50) ? Op::Read : Op::Write;
    const std::size_t bytes = std::size_t{1} << random_.below(5);
    if (random_.percent(70)) return put(step, random_.below(area_) / bytes * bytes, bytes);
    put(step, random_.below(area_), random_.between(1, random_.percent(80) ? 16 : 2 * area_));
    step.form = random_.percent(50) ? Form::Range : Form::TsanRange;
    if (step.bytes <= 64 && random_.percent(50)) {
      step.form = Form::Bytes;
      step.mask = (~std::uint64_t{0} >> (64 - step.bytes)) & (random_.next() | 1);
    }
  }
  void atomic(Step& step) {
    constexpr std::array kOps{Op::AtomicLoad, Op::AtomicStore, Op::AtomicRmw};
    step.op = kOps[random_.below(kOps.size())];
    do {
      step.order = static_cast<MemoryOrder>(random_.below(kMemoryOrderCount));
    } while (!order_fits(step.op, step.order));
    const std::size_t bytes = std::size_t{1} << random_.below(5);
    put(step, random_.below(area_) / bytes * bytes, bytes);
    if (step.op == Op::AtomicLoad && random_.percent(20)) step.form = Form::FailedChange;
    if (step.op == Op::AtomicRmw && random_.percent(20)) step.form = Form::Exchange;
  }
  void synchronisation(Step& step) {
    constexpr std::array kOps{Op::Acquire,       Op::Acquire, Op::Release, Op::Release,       Op::AcquireShared,
                              Op::ReleaseShared, Op::Wait,    Op::Wake,    Op::BarrierArrive, Op::BarrierLeave,
                              Op::Fork,          Op::Join,    Op::Fence};
    step.op = kOps[random_.below(kOps.size())];
    if (step.op == Op::Fence) step.order = random_.percent(50) ? MemoryOrder::AcqRel : MemoryOrder::Release;
    const bool of_thread = step.op == Op::Fork || step.op == Op::Join;
    step.object = static_cast<std::uint8_t>(random_.below(of_thread ? threads_ : locks_));
    if (step.op == Op::Join && random_.percent(80)) step.op = Op::Acquire;
    if (step.op == Op::Acquire) step.object = static_cast<std::uint8_t>(step.object % locks_);
    step.refused = step.op == Op::Acquire && random_.percent(5);
  }

  Random random_;
  std::size_t threads_ = 0;
  std::size_t locks_ = 0;
  std::size_t area_ = 0;
  std::size_t accesses_ = 0;  ///< of a hundred steps
  std::size_t atomics_ = 0;   ///< of a hundred others
  std::size_t lives_ = 0;     ///< begun or ended, of a hundred steps
  Program program_;
};

}  // namespace

Program generate(std::uint64_t seed, Relation relation) {
  const bool crowded = seed % 5 == 0;
  Program program = crowded ? Crowd(seed).run() : Generator(seed).run();
  if (seed % 2 == 0) return program;
  const std::size_t most = crowded ? 16 : 4;
  for (std::size_t n = seed / 2 % most + 1; n > 0; --n) {
    const Verdict verdict = define(program, relation);
    if (!verdict.has_race()) break;
    program.steps.erase(program.steps.begin() + static_cast<std::ptrdiff_t>(verdict.first()));
    program = possible_part(program);
  }
  return program;
}

}  // namespace omen::traces
