/// \file
/// The second pass: converts records to events of the event model.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/recording/lock_tracker.hpp"
#include "capture/recording/recorded_run.hpp"
#include "capture/recording/renewals.hpp"
#include "capture/recording/survey.hpp"
#include "capture/recording/variable_names.hpp"
#include "capture/runtime/schedule/raw_points.hpp"
#include "trace/event.hpp"

namespace omen::recording {

class EventWriter {
 public:
  /// `survey` and `out` must outlive this object.
  EventWriter(Survey& survey, RecordedRun::Which which, const RecordedRun::Take& out)
      : survey_(survey),
        all_(which == RecordedRun::Which::All),
        out_(&out),
        locks_(survey.interrupted_waits),
        buffer_(kBuffer),
        running_(survey.threads),
        locks_held_(survey.threads) {
    for (std::uint32_t i = 0; i < survey.threads; ++i) {
      names_.of(OperandKind::Thread).intern(thread_name(i));
    }
  }

  void take(std::uint32_t thread, const Entry& entry) {
    thread_ = thread;
    node_ = entry.node;
    pc_ = entry.pc;
    const PointKind kind = raw::point_kind(entry.op, entry.length);
    if (kind == PointKind::None || !all_) return dispatch(entry);
    const std::uint64_t first = events();
    dispatch(entry);
    if (events() > first) note_point(first, static_cast<std::uint32_t>(events() - first), ThreadId{thread}, kind);
  }

  /// Called after the last record. Returns the first error of the receiver of the events, if there was one.
  std::expected<void, InputError> finish() {
    flush();
    out_ = nullptr;
    buffer_ = {};
    return status_;
  }
  const std::expected<void, InputError>& status() const { return status_; }

  const Names& names() const { return names_; }
  Names& own_names() { return names_; }
  Names& all_names() {
    variables_.name(names_.of(OperandKind::Variable));
    return names_;
  }
  std::uint64_t events() const { return events_ + buffered_; }
  bool used_after_free() const { return used_after_free_; }
  std::uint64_t synchronisations() const { return synchronisations_; }
  std::vector<HeapBlock>& blocks() { return blocks_; }
  std::vector<SchedulingPoint>& points() { return points_; }

 private:
  void dispatch(const Entry& entry) {
    if (touches_memory(entry.op) && entry.length > kLongestAccess) return;
    if (entry.op == raw::RawOp::Update) {
      update(entry.address, entry.address + entry.length);
    } else if (is_plain_access(entry.op)) {
      plain(entry.address, entry.address + entry.length, entry.op == raw::RawOp::Read ? Op::Read : Op::Write);
    } else if (is_atomic_access(entry.op)) {
      atomic(entry);
    } else if (is_lock_step(entry.op)) {
      survey_.refusals.empty() ? lock_step(entry) : lock_step_with_attempts(entry);
    } else {
      other(entry);
    }
  }

  void note_point(std::uint64_t event, std::uint32_t count, ThreadId thread, PointKind kind) {
    points_.push_back({.event = event, .events = count, .thread = thread, .kind = kind});
  }

  void flush() {
    if (status_ && buffered_ != 0) status_ = (*out_)(std::span(buffer_).first(buffered_));
    events_ += std::exchange(buffered_, 0);
  }

  static std::string thread_name(std::uint32_t thread) { return thread == 0 ? "main" : fmt::format("T{}", thread); }

  LocationId location() {
    if (pc_ != 0) {
      node_ = survey_.nodes.find(survey_.info.stacks, node_, pc_);
      pc_ = 0;
    }
    return LocationId{kNumericLocation | node_};
  }

  void emit(Op op, std::uint32_t operand, MemoryOrder order = MemoryOrder::Relaxed) {
    buffer_[buffered_] = {.thread = ThreadId{thread_},
                          .operand = operand,
                          .location = location(),
                          .op = op,
                          .order = order,
                          .update = updates_ && can_be_update(op)};
    if (++buffered_ == kBuffer) flush();
  }
  void emit_synchronisation(Op op, std::uint32_t operand, MemoryOrder order = MemoryOrder::Relaxed) {
    ++synchronisations_;
    emit(op, operand, order);
  }

  std::uint32_t id(OperandKind kind, std::uint64_t address) {
    return names_.of(kind).intern(fmt::format("{:#x}", address));
  }

  /// A lock in reallocated memory is another lock.
  std::uint32_t lock_id(std::uint64_t address) {
    LifeOfSync& life = locks_in_memory_[address];
    life.used = true;
    if (life.id == kNoId || life.id_of != life.number) {
      life.id = life.number == 0 ? id(OperandKind::Lock, address)
                                 : names_.of(OperandKind::Lock).intern(fmt::format("{:#x}#{}", address, life.number));
      life.id_of = life.number;
    }
    return life.id;
  }

  /// The atomic that represents the hidden state behind the lock (docs/hidden-state.md).
  std::uint32_t hidden_state_id(std::uint64_t lock) {
    const std::uint64_t life = locks_in_memory_[lock].number;
    return names_.of(OperandKind::Atomic)
        .intern(life == 0 ? fmt::format("hidden state {:#x}", lock) : fmt::format("hidden state {:#x}#{}", lock, life));
  }

  /// An atomic in reallocated memory starts from a value that no thread released.
  std::uint32_t atomic_id(std::uint64_t address) {
    LifeOfSync& life = atomics_in_memory_[address];
    if (const std::uint64_t renewal = renewals_.latest(address); renewal != life.renewal) {
      life.renew();
      life.renewal = renewal;
    }
    if (life.id == kNoId) life.id = id(OperandKind::Atomic, address);
    const std::uint32_t atomic = life.id;
    if (life.number != 0 && !life.used) emit(Op::AtomicStore, atomic, MemoryOrder::Relaxed);
    life.used = true;
    return atomic;
  }

  /// `add` creates the variable. Events that are filtered out are only counted.
  template <class Add>
  void access(Piece& piece, Op op, bool shown, Add add) {
    if (shown && piece.variable == Piece::kNone) piece.variable = add();
    if (piece.renewed) {
      piece.freed = false;
      if (shown) {
        emit(Op::Allocate, piece.variable);
      } else {
        ++events_;
      }
    }
    used_after_free_ |= piece.freed && op != Op::Free;
    piece.freed |= op == Op::Free;
    piece.renewed = false;
    piece.alive = true;
    if (shown) {
      emit(op, piece.variable);
    } else {
      ++events_;
    }
  }

  void plain(std::uint64_t begin, std::uint64_t end, Op op) {
    // In each cell the pieces precede the views.
    std::uint64_t met = end;
    survey_.memory.for_each_piece(
        begin, end, [&](std::uint64_t from, std::uint64_t to, Piece& piece, MemoryMap::Kind kind) {
          if (met / MixedMemory::kCell < from / MixedMemory::kCell) meet_views(std::exchange(met, end), from, op);
          access(piece, op, all_ || kind.shared, [&] { return variables_.add(from, to - from); });
          if (kind.mixed) met = std::min(met, from);
        });
    meet_views(met, end, op);
  }

  /// A read, then a write. The compiler guarantees that the value read decides nothing else. The event model also
  /// requires that every reader of the value written is seen: so it must be one variable as a whole, accessed under a
  /// lock without hidden state.
  void update(std::uint64_t begin, std::uint64_t end) {
    std::size_t pieces = 0;
    bool mixed = false;
    survey_.memory.for_each_piece(begin, end, [&](std::uint64_t, std::uint64_t, const Piece&, MemoryMap::Kind kind) {
      ++pieces;
      mixed |= kind.mixed;
    });
    updates_ = pieces == 1 && !mixed && locks_held_[thread_].open > 0 && locks_held_[thread_].hidden == 0;
    plain(begin, end, Op::Read);
    plain(begin, end, Op::Write);
    updates_ = false;
  }

  void access(std::uint64_t address, View& view, Op op) {
    access(view.piece, op, true, [&] { return variables_.add(address, view.bytes, view.thread); });
  }

  /// A plain access to the views of the threads with atomic accesses.
  void meet_views(std::uint64_t begin, std::uint64_t end, Op op) {
    if (begin >= end) return;
    survey_.mixed.for_each_view(begin, end, [&](std::uint64_t address, View& view) { access(address, view, op); });
  }

  /// The access that an atomic operation is with respect to plain accesses.
  void as_access(std::uint64_t begin, std::uint64_t bytes, Op op) {
    survey_.mixed.for_each_view(begin, begin + bytes, [&](std::uint64_t address, View& view) {
      if (view.thread == thread_) access(address, view, op);
    });
  }
  bool is_mixed(std::uint64_t begin, std::uint64_t bytes) {
    bool any = false;
    survey_.mixed.for_each_view(begin, begin + bytes, [&](std::uint64_t, const View&) { any = true; });
    return any;
  }

  /// The access comes after what the operation acquires and before what it releases.
  void atomic(const Entry& entry) {
    const std::uint32_t atomic = atomic_id(entry.address);
    const auto order = static_cast<MemoryOrder>(std::min<std::uint64_t>(entry.length % 256, kMemoryOrderCount - 1));
    const std::uint64_t bytes = raw::bytes_of_atomic(entry.length);
    switch (entry.op) {
      case raw::RawOp::AtomicLoad:
        emit_synchronisation(Op::AtomicLoad, atomic, fitting(Op::AtomicLoad, order));
        as_access(entry.address, bytes, Op::Read);
        return;
      case raw::RawOp::AtomicStore:
        as_access(entry.address, bytes, Op::Write);
        emit_synchronisation(Op::AtomicStore, atomic, fitting(Op::AtomicStore, order));
        return;
      default:
        if (is_mixed(entry.address, bytes)) {
          emit(Op::AtomicLoad, atomic, acquires(order) ? MemoryOrder::Acquire : MemoryOrder::Relaxed);
          as_access(entry.address, bytes, Op::Write);
        } else {
          updates_ = (entry.length & raw::kUpdate) != 0 && locks_held_[thread_].hidden == 0;
        }
        emit_synchronisation(Op::AtomicRmw, atomic, order);
        updates_ = false;
        return;
    }
  }

  static MemoryOrder fitting(Op op, MemoryOrder order) { return order_fits(op, order) ? order : MemoryOrder::SeqCst; }

  void lock_step(const Entry& entry) {
    const auto [op, lock] = std::pair(entry.op, entry.address);
    const auto step = locks_.step(thread_, op, lock);
    const bool takes = op == raw::RawOp::Acquire || op == raw::RawOp::AcquireShared;
    // Locks are memory too: acquiring one reads what its initialisation and destruction write.
    if (takes) as_access(lock, 1, Op::Read);
    if (survey_.irregular_locks.contains(lock)) return irregular_step(op, lock);
    if (step) {
      if (begins_section(step->op)) enter(lock, static_cast<int>(step->times));
      if (ends_section(step->op)) enter(lock, -static_cast<int>(step->times));
      if (step->op == Op::Wait) stop_running();
      const MemoryOrder order = takes && entry.length == 1 ? kAttempt : MemoryOrder::Relaxed;
      for (std::uint32_t i = 0; i < step->times; ++i) emit_synchronisation(step->op, lock_id(lock), order);
      if (step->op == Op::Wake) running_[thread_] = true;
      if (begins_section(step->op) && survey_.hidden_locks.contains(lock)) {
        // Inlined library code reads the library's state with plain accesses; the library's own writes are hidden.
        emit_synchronisation(Op::AtomicLoad, hidden_state_id(lock));
      }
    }
    if (op == raw::RawOp::LockForget && locks_.is_free(lock)) locks_in_memory_[lock].renew();
  }

  static constexpr bool ends_section(Op op) { return op == Op::Release || op == Op::ReleaseShared || op == Op::Wait; }
  void enter(std::uint64_t lock, int change) {
    LocksHeld& held = locks_held_[thread_];
    held.open += change;
    if (survey_.hidden_locks.contains(lock)) held.hidden += change;
  }

  static constexpr bool begins_section(Op op) { return op == Op::Acquire || op == Op::AcquireShared || op == Op::Wake; }

  /// See refusals.hpp.
  std::uint32_t held_by(std::uint64_t lock, std::uint32_t holder) {
    return names_.of(OperandKind::Atomic).intern(fmt::format("{:#x} held by {}", lock, thread_name(holder)));
  }
  void lock_step_with_attempts(const Entry& entry) {
    const std::vector<MovedAttempt>* const ends = survey_.refusals.ends(entry.number);
    const std::vector<MovedAttempt>* const begins = survey_.refusals.begins(entry.number);
    if (ends != nullptr) section_ends(entry.address, *ends);
    lock_step(entry);
    if (begins != nullptr) section_begins(entry.address, *begins);
  }
  void section_begins(std::uint64_t lock, const std::vector<MovedAttempt>& attempts) {
    if (survey_.irregular_locks.contains(lock)) return;
    emit(Op::AtomicStore, held_by(lock, thread_), MemoryOrder::Release);
    refuse_all(lock, attempts);
  }
  void section_ends(std::uint64_t lock, const std::vector<MovedAttempt>& attempts) {
    if (survey_.irregular_locks.contains(lock)) return;
    refuse_all(lock, attempts);
    emit(Op::AtomicStore, held_by(lock, thread_), MemoryOrder::Relaxed);
  }
  /// Attempts of other threads that this holder refused.
  void refuse_all(std::uint64_t lock, const std::vector<MovedAttempt>& attempts) {
    const auto self = std::pair(thread_, node_);
    for (const MovedAttempt& attempt : attempts) {
      thread_ = attempt.thread;
      node_ = attempt.node;
      if (all_) note_point(events(), 1, ThreadId{thread_}, PointKind::Refused);
      emit_synchronisation(Op::AtomicLoad, held_by(lock, self.first), MemoryOrder::Acquire);
    }
    std::tie(thread_, node_) = self;
  }
  void refused(const Entry& entry) {
    if (survey_.irregular_locks.contains(entry.address)) {
      emit_synchronisation(Op::AtomicLoad, irregular_id(entry.address), MemoryOrder::Relaxed);
    } else if (const std::uint32_t* const holder = survey_.refusals.holder(entry.number); holder != nullptr) {
      emit_synchronisation(Op::AtomicLoad, held_by(entry.address, *holder), MemoryOrder::Acquire);
    } else if (const std::uint32_t* const early = survey_.refusals.early_holder(entry.number); early != nullptr) {
      const std::uint32_t self = std::exchange(thread_, *early);
      emit(Op::AtomicStore, held_by(entry.address, *early), MemoryOrder::Release);
      thread_ = self;
      emit_synchronisation(Op::AtomicLoad, held_by(entry.address, *early), MemoryOrder::Acquire);
    }
  }

  /// The atomic of a thread that takes resources, such as tokens of a semaphore, from an object: no other thread gets
  /// what it takes. A failed attempt loads the atomics of all other threads that take: it comes after what they have
  /// taken, and before they take more.
  std::uint32_t taken_by(std::uint64_t object, std::uint32_t thread) {
    return names_.of(OperandKind::Atomic).intern(fmt::format("{:#x} taken by {}", object, thread_name(thread)));
  }
  void take_from(const Entry& entry) {
    emit_synchronisation(Op::AtomicLoad, atomic_id(entry.address), MemoryOrder::Acquire);
    if (!survey_.found_empty.contains(entry.address)) return;
    std::vector<std::uint32_t>& takers = takers_[entry.address];
    if (std::ranges::find(takers, thread_) == takers.end()) takers.push_back(thread_);
    emit(Op::AtomicStore, taken_by(entry.address, thread_), MemoryOrder::Release);
  }
  void find_empty(const Entry& entry) {
    emit_synchronisation(Op::AtomicLoad, atomic_id(entry.address), MemoryOrder::Relaxed);
    for (const std::uint32_t taker : takers_[entry.address]) {
      if (taker == thread_) continue;
      emit(Op::AtomicLoad, taken_by(entry.address, taker),
           entry.length == 0 ? MemoryOrder::Acquire : MemoryOrder::Relaxed);
    }
  }

  std::uint32_t irregular_id(std::uint64_t lock) {
    return names_.of(OperandKind::Atomic).intern(fmt::format("lock {:#x}", lock));
  }
  void irregular_step(raw::RawOp op, std::uint64_t lock) {
    const std::uint32_t atomic = irregular_id(lock);
    switch (op) {
      case raw::RawOp::Acquire:
      case raw::RawOp::AcquireShared:
      case raw::RawOp::Wake:
        emit_synchronisation(Op::AtomicRmw, atomic, MemoryOrder::Acquire);
        return;
      case raw::RawOp::Release:
      case raw::RawOp::ReleaseShared:
      case raw::RawOp::Wait:
        emit_synchronisation(Op::AtomicRmw, atomic, MemoryOrder::Release);
        return;
      default:
        return;
    }
  }

  void other(const Entry& entry) {
    switch (entry.op) {
      case raw::RawOp::Fence:
        if (const auto order = static_cast<MemoryOrder>(entry.length % 256); order_fits(Op::Fence, order)) {
          emit_synchronisation(Op::Fence, 0, order);
        }
        return;
      case raw::RawOp::SyncRelease:
        emit_synchronisation(Op::AtomicRmw, atomic_id(entry.address), MemoryOrder::Release);
        return;
      case raw::RawOp::SyncAcquire:
        emit_synchronisation(Op::AtomicLoad, atomic_id(entry.address), MemoryOrder::Acquire);
        return;
      case raw::RawOp::Opaque:
        emit_synchronisation(Op::AtomicRmw, hidden_state_id(entry.address));
        return;
      case raw::RawOp::SyncTake:
        return take_from(entry);
      case raw::RawOp::SyncRefused:
        return find_empty(entry);
      case raw::RawOp::Refused:
        return refused(entry);
      case raw::RawOp::SyncBoth:
        emit_synchronisation(Op::AtomicRmw, atomic_id(entry.address), MemoryOrder::AcqRel);
        return;
      case raw::RawOp::BarrierArrive:
        emit_synchronisation(Op::BarrierArrive, id(OperandKind::Barrier, entry.address));
        return;
      case raw::RawOp::BarrierLeave:
        emit_synchronisation(Op::BarrierLeave, id(OperandKind::Barrier, entry.address));
        return;
      case raw::RawOp::Fork:
        if (entry.address < survey_.threads) emit_synchronisation(Op::Fork, static_cast<std::uint32_t>(entry.address));
        return;
      case raw::RawOp::Join:
        if (entry.address < survey_.threads) {
          running_[entry.address] = false;
          emit_synchronisation(Op::Join, static_cast<std::uint32_t>(entry.address));
        }
        return;
      case raw::RawOp::Begin:
        emit(Op::Begin, 0);
        running_[thread_] = true;
        return;
      case raw::RawOp::EndThread:
        stop_running();
        emit(Op::End, 0);
        return;
      case raw::RawOp::AcquireAll:
        acquire_all();
        return;
      case raw::RawOp::Allocate:
        if (all_) blocks_.push_back({events(), entry.address, entry.length, ThreadId{thread_}, entry.node});
        block_sizes_[entry.address] = entry.length;
        allocate(entry.address, entry.address + entry.length);
        return;
      case raw::RawOp::AllocateUnwritten:
        if (all_) blocks_.push_back({events(), entry.address, entry.length, ThreadId{thread_}, entry.node});
        renew(entry.address, entry.address + entry.length);
        return;
      case raw::RawOp::NewMemory:
        if (entry.node == 0) {  // a thread's stack
          renew(entry.address, entry.address + entry.length);
        } else {
          allocate(entry.address, entry.address + entry.length);
        }
        return;
      case raw::RawOp::Room:
        grow(entry.address, entry.length);
        return;
      case raw::RawOp::Renew:
        renew(entry.address, entry.address + entry.length);
        return;
      case raw::RawOp::Free:
        free(entry.address, entry.address + freed_size(entry));
        return;
      default:
        return;
    }
  }

  /// The atomic to which every thread releases: at an acquire from all, and before that when a thread waits or ends,
  /// because it can do nothing in between.
  void release_to_all() {
    emit_synchronisation(Op::AtomicRmw, names_.of(OperandKind::Atomic).intern("all"), MemoryOrder::Release);
  }
  void stop_running() {
    running_[thread_] = false;
    if (survey_.acquires_all) release_to_all();
  }
  void acquire_all() {
    const std::uint32_t self = thread_;
    for (thread_ = 0; thread_ < running_.size(); ++thread_) {
      if (thread_ != self && running_[thread_]) release_to_all();
    }
    thread_ = self;
    emit_synchronisation(Op::AtomicLoad, names_.of(OperandKind::Atomic).intern("all"), MemoryOrder::Acquire);
  }

  /// Ends the lives of the pieces; the next access to each begins another.
  void renew(std::uint64_t begin, std::uint64_t end) {
    const auto over = [](Piece& piece) {
      if (!piece.alive) return;
      piece.alive = false;
      piece.renewed = true;
    };
    survey_.memory.for_each_known_piece(begin, end,
                                        [&](std::uint64_t, std::uint64_t, Piece& piece, bool) { over(piece); });
    survey_.mixed.for_each_view(begin, end, [&](std::uint64_t, View& view) { over(view.piece); });
    if (end - begin >= kLargeRenewal) {
      renewals_.add(begin, end);
    } else {
      for (auto at = atomics_in_memory_.lower_bound(begin); at != atomics_in_memory_.end() && at->first < end; ++at) {
        at->second.renew();
      }
    }
    for (auto at = locks_in_memory_.lower_bound(begin); at != locks_in_memory_.end() && at->first < end; ++at) {
      if (locks_.is_free(at->first)) at->second.renew();
    }
  }

  /// The program may use a block's room beyond the requested size once it knows how much there is. Accesses there to an
  /// earlier block belong to another life.
  void grow(std::uint64_t address, std::uint64_t room) {
    const auto block = block_sizes_.find(address);
    if (block == block_sizes_.end() || block->second >= room) return;
    renew(address + block->second, address + room);
    block->second = room;
  }

  /// The runtime reports the usable size of a freed block. The memory beyond the requested size may have belonged to
  /// another block, and this block's allocation did not renew it.
  std::uint64_t freed_size(const Entry& entry) {
    const auto block = block_sizes_.find(entry.address);
    if (block == block_sizes_.end()) return entry.length;
    const std::uint64_t asked_for = block->second;
    block_sizes_.erase(block);
    return std::min(asked_for, entry.length);
  }

  /// A write that also ends the life. Later accesses, before the memory is reallocated, still conflict with it.
  void free(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t written = std::min(end, begin + kFreedBytes);
    survey_.memory.for_each_known_piece(
        begin, written, [&](std::uint64_t from, std::uint64_t to, Piece& piece, bool shared) {
          if (to <= end) access(piece, Op::Free, all_ || shared, [&] { return variables_.add(from, to - from); });
        });
    meet_views(begin, written, Op::Free);
    // Memory beyond that only begins another life at its next access.
    if (written < end) renew(written, end);
  }

  /// Writes the first piece of a block, so that a use by another thread that is not ordered after the allocation races.
  void allocate(std::uint64_t begin, std::uint64_t end) {
    renew(begin, end);
    bool first = true;
    survey_.memory.for_each_known_piece(begin, std::min(end, begin + kAllocatedBytes),
                                        [&](std::uint64_t from, std::uint64_t to, Piece& piece, bool shared) {
                                          if (!std::exchange(first, false) || to > end) return;
                                          access(piece, Op::Write, all_ || shared,
                                                 [&] { return variables_.add(from, to - from); });
                                          meet_views(from, to, Op::Write);
                                        });
  }

  /// For memory of at least this size, atomics learn of a new life when they are used again.
  static constexpr std::uint64_t kLargeRenewal = 64U << 10;
  static constexpr std::size_t kBuffer = 1U << 12;  ///< this many events fit into a processor's L1 or L2 cache
  static constexpr std::uint32_t kNoId = ~std::uint32_t{0};

  struct LifeOfSync {
    std::uint32_t number = 0;
    std::uint32_t id = kNoId;
    std::uint32_t id_of = 0;    ///< the life of the lock that has this `id`
    bool used = false;          ///< used in this life
    std::uint64_t renewal = 0;  ///< renewal number of its large memory at the last use
    void renew() {
      if (std::exchange(used, false)) ++number;
    }
  };

  Survey& survey_;
  bool all_;
  const RecordedRun::Take* out_;
  Names names_;  ///< without the variables, until `all_names` is called
  VariableNames variables_;
  std::map<std::uint64_t, LifeOfSync> locks_in_memory_;
  std::map<std::uint64_t, LifeOfSync> atomics_in_memory_;
  Renewals renewals_;
  LockTracker locks_;
  std::vector<Event> buffer_;
  std::size_t buffered_ = 0;
  struct LocksHeld {
    int open = 0;    ///< open sections, including nested ones
    int hidden = 0;  ///< sections on locks with hidden state
  };
  bool updates_ = false;                                          ///< the events being written belong to an update
  std::vector<bool> running_;                                     ///< by thread: it may execute at this point
  std::unordered_map<std::uint64_t, std::uint64_t> block_sizes_;  ///< requested sizes of the allocated heap blocks
  std::vector<LocksHeld> locks_held_;                             ///< by thread
  std::vector<HeapBlock> blocks_;
  std::vector<SchedulingPoint> points_;  ///< only in a pass over all events
  /// By object of `Survey::found_empty`: the threads that have taken something from it, in the order of their first
  /// take.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> takers_;
  std::uint64_t events_ = 0;  ///< passed on, or filtered out
  bool used_after_free_ = false;
  std::uint64_t synchronisations_ = 0;
  std::uint32_t thread_ = 0;
  std::uint32_t node_ = 0;
  std::uint64_t pc_ = 0;  ///< if not 0, `node_` is only the node of the function that contains this location
  std::expected<void, InputError> status_;
};

}  // namespace omen::recording
