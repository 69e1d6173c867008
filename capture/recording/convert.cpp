#include "capture/recording/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/recording/lock_tracker.hpp"
#include "capture/recording/merge.hpp"
#include "capture/recording/renewals.hpp"
#include "capture/recording/survey.hpp"
#include "trace/event.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/formats/omen_writer.hpp"

namespace omen::recording {

using raw::RawOp;

namespace {

/// A freed block is written to so far: more would cost much and find little (ThreadSanitizer's choice as well).
constexpr std::uint64_t kFreedBytes = 1024;

/// Of memory from this size on, atomics learn of a new life when they are used again.
constexpr std::uint64_t kLargeRenewal = 64U << 10;

/// The second pass.
class EventWriter {
 public:
  EventWriter(Survey& survey, OmenWriter& out) : survey_(survey), out_(out), running_(survey.threads) {
    for (std::uint32_t i = 0; i < survey.threads; ++i) {
      names_.of(OperandKind::Thread).intern(i == 0 ? "main" : fmt::format("T{}", i));
    }
  }

  void take(std::uint32_t thread, const Entry& entry) {
    thread_ = thread;
    location_ = LocationId{kNumericLocation | entry.node};
    if (const auto waited = locks_.interrupted_wait(thread, entry.op, entry.address)) lock_step(RawOp::Wake, *waited);
    if (touches_memory(entry.op) && entry.length > kLongestAccess) return;
    if (is_plain_access(entry.op)) {
      plain(entry.address, entry.address + entry.length, entry.op == RawOp::Read ? Op::Read : Op::Write);
    } else if (is_atomic_access(entry.op)) {
      atomic(entry);
    } else if (is_lock_step(entry.op)) {
      lock_step(entry.op, entry.address);
    } else {
      other(entry);
    }
  }

  std::expected<Converted, InputError> finish() {
    if (auto ok = flush(); !ok) return std::unexpected(std::move(ok.error()));
    Converted result;
    result.events = events_;
    result.synchronisations = synchronisations_;
    result.threads = survey_.threads;
    result.complete = survey_.info.notes.empty();
    result.suppressions = std::move(survey_.suppressions);
    result.info = std::move(survey_.info);
    result.info.blocks = std::move(blocks_);
    if (auto ok = out_.attach(result.info, names_); !ok) return std::unexpected(std::move(ok.error()));
    if (auto ok = out_.finish(names_); !ok) return std::unexpected(std::move(ok.error()));
    return result;
  }

  /// The first error of the output, if there was one.
  const std::expected<void, InputError>& status() const { return status_; }

 private:
  std::expected<void, InputError> flush() {
    if (status_) status_ = out_.write(buffer_, names_);
    buffer_.clear();
    return status_;
  }

  void emit(Op op, std::uint32_t operand, MemoryOrder order = MemoryOrder::Relaxed) {
    buffer_.push_back(
        {.thread = ThreadId{thread_}, .operand = operand, .location = location_, .op = op, .order = order});
    ++events_;
    if (buffer_.size() == kBuffer) flush();
  }
  void emit_synchronisation(Op op, std::uint32_t operand, MemoryOrder order = MemoryOrder::Relaxed) {
    ++synchronisations_;
    emit(op, operand, order);
  }

  std::uint32_t id(OperandKind kind, std::uint64_t address) {
    return names_.of(kind).intern(fmt::format("{:#x}", address));
  }

  /// A lock in memory that was given out anew is another lock.
  std::uint32_t lock_id(std::uint64_t address) {
    LifeOfSync& life = locks_in_memory_[address];
    life.used = true;
    if (life.number == 0) return id(OperandKind::Lock, address);
    return names_.of(OperandKind::Lock).intern(fmt::format("{:#x}#{}", address, life.number));
  }

  /// An atomic in memory that was given out anew starts from a value that nobody released.
  std::uint32_t atomic_id(std::uint64_t address) {
    LifeOfSync& life = atomics_in_memory_[address];
    if (const std::uint64_t renewal = renewals_.latest(address); renewal != life.renewal) {
      life.renew();
      life.renewal = renewal;
    }
    const std::uint32_t atomic = id(OperandKind::Atomic, address);
    if (life.number != 0 && !life.used) emit(Op::AtomicStore, atomic, MemoryOrder::Relaxed);
    life.used = true;
    return atomic;
  }

  template <class Name>
  void access(Piece& piece, Op op, Name name) {
    if (piece.variable == Piece::kNone) {
      piece.variable = names_.of(OperandKind::Variable).intern(name());
    } else if (piece.renewed) {
      emit(Op::Allocate, piece.variable);
    }
    piece.renewed = false;
    piece.alive = true;
    emit(op, piece.variable);
  }

  void plain(std::uint64_t begin, std::uint64_t end, Op op) {
    std::uint64_t mixed_until = 0;
    survey_.memory.for_each_piece(begin, end, [&](std::uint64_t from, std::uint64_t to, Piece& piece, bool mixed) {
      access(piece, op, [&] { return fmt::format("{:#x}:{}", from, to - from); });
      if (!mixed || from < mixed_until) return;
      // The object may begin before this piece.
      auto object = survey_.mixed.upper_bound(from);
      if (object == survey_.mixed.begin()) return;
      --object;
      mixed_until = object->first + object->second.bytes;
      if (mixed_until <= from) return;
      for (auto& user : object->second.threads) {
        if (user.thread != thread_) mixed_access(*object, user, op);
      }
    });
  }

  void mixed_access(const std::pair<const std::uint64_t, MixedObject>& object, MixedObject::PerThread& user, Op op) {
    access(user.piece, op, [&] { return fmt::format("{:#x}:{}@{}", object.first, object.second.bytes, user.thread); });
  }

  /// The access that an atomic operation is to plain ones.
  void as_access(std::uint64_t address, Op op) {
    const auto object = survey_.mixed.find(address);
    if (object == survey_.mixed.end()) return;
    const auto user = std::ranges::find(object->second.threads, thread_, &MixedObject::PerThread::thread);
    if (user != object->second.threads.end()) mixed_access(*object, *user, op);
  }

  /// The access stands behind what the operation acquires and before what it releases.
  void atomic(const Entry& entry) {
    const std::uint32_t atomic = atomic_id(entry.address);
    const auto order = static_cast<MemoryOrder>(std::min<std::uint64_t>(entry.length % 256, kMemoryOrderCount - 1));
    switch (entry.op) {
      case RawOp::AtomicLoad:
        emit_synchronisation(Op::AtomicLoad, atomic, fitting(Op::AtomicLoad, order));
        as_access(entry.address, Op::Read);
        return;
      case RawOp::AtomicStore:
        as_access(entry.address, Op::Write);
        emit_synchronisation(Op::AtomicStore, atomic, fitting(Op::AtomicStore, order));
        return;
      default:
        if (survey_.mixed.contains(entry.address)) {
          emit(Op::AtomicLoad, atomic, acquires(order) ? MemoryOrder::Acquire : MemoryOrder::Relaxed);
          as_access(entry.address, Op::Write);
        }
        emit_synchronisation(Op::AtomicRmw, atomic, order);
        return;
    }
  }

  static MemoryOrder fitting(Op op, MemoryOrder order) { return order_fits(op, order) ? order : MemoryOrder::SeqCst; }

  void lock_step(RawOp op, std::uint64_t lock) {
    if (survey_.irregular_locks.contains(lock)) {
      if (op == RawOp::Acquire || op == RawOp::AcquireShared) as_access(lock, Op::Read);
      irregular_step(op, lock);
      return;
    }
    const auto step = locks_.step(thread_, op, lock);
    // Locks are memory too: taking one reads what making and destroying it writes.
    if (op == RawOp::Acquire || op == RawOp::AcquireShared) as_access(lock, Op::Read);
    if (step == Op::Wait) stop_running();
    if (step) emit_synchronisation(*step, lock_id(lock));
    if (step == Op::Wake) running_[thread_] = true;
    if (op == RawOp::LockForget && locks_.is_free(lock)) locks_in_memory_[lock].renew();
  }

  void irregular_step(RawOp op, std::uint64_t lock) {
    const std::uint32_t atomic = names_.of(OperandKind::Atomic).intern(fmt::format("lock {:#x}", lock));
    switch (op) {
      case RawOp::Acquire:
      case RawOp::AcquireShared:
      case RawOp::Wake:
        emit_synchronisation(Op::AtomicRmw, atomic, MemoryOrder::Acquire);
        return;
      case RawOp::Release:
      case RawOp::ReleaseShared:
      case RawOp::Wait:
        emit_synchronisation(Op::AtomicRmw, atomic, MemoryOrder::Release);
        return;
      default:
        return;
    }
  }

  void other(const Entry& entry) {
    switch (entry.op) {
      case RawOp::Fence:
        if (const auto order = static_cast<MemoryOrder>(entry.length % 256); order_fits(Op::Fence, order)) {
          emit_synchronisation(Op::Fence, 0, order);
        }
        return;
      case RawOp::SyncRelease:
        emit_synchronisation(Op::AtomicRmw, atomic_id(entry.address), MemoryOrder::Release);
        return;
      case RawOp::SyncAcquire:
        emit_synchronisation(Op::AtomicLoad, atomic_id(entry.address), MemoryOrder::Acquire);
        return;
      case RawOp::SyncBoth:
        emit_synchronisation(Op::AtomicRmw, atomic_id(entry.address), MemoryOrder::AcqRel);
        return;
      case RawOp::BarrierArrive:
        emit_synchronisation(Op::BarrierArrive, id(OperandKind::Barrier, entry.address));
        return;
      case RawOp::BarrierLeave:
        emit_synchronisation(Op::BarrierLeave, id(OperandKind::Barrier, entry.address));
        return;
      case RawOp::Fork:
        if (entry.address < survey_.threads) emit_synchronisation(Op::Fork, static_cast<std::uint32_t>(entry.address));
        return;
      case RawOp::Join:
        if (entry.address < survey_.threads) {
          running_[entry.address] = false;
          emit_synchronisation(Op::Join, static_cast<std::uint32_t>(entry.address));
        }
        return;
      case RawOp::Begin:
        emit(Op::Begin, 0);
        running_[thread_] = true;
        return;
      case RawOp::EndThread:
        stop_running();
        emit(Op::End, 0);
        return;
      case RawOp::AcquireAll:
        acquire_all();
        return;
      case RawOp::Allocate:
        blocks_.push_back({events_, entry.address, entry.length, ThreadId{thread_}, entry.node});
        block_sizes_[entry.address] = entry.length;
        allocate(entry.address, entry.address + entry.length);
        return;
      case RawOp::AllocateUnwritten:
        blocks_.push_back({events_, entry.address, entry.length, ThreadId{thread_}, entry.node});
        renew(entry.address, entry.address + entry.length);
        return;
      case RawOp::NewMemory:
        if (entry.node == 0) {  // a thread's stack
          renew(entry.address, entry.address + entry.length);
        } else {
          allocate(entry.address, entry.address + entry.length);
        }
        return;
      case RawOp::Renew:
        renew(entry.address, entry.address + entry.length);
        return;
      case RawOp::Free:
        free(entry.address, entry.address + freed_size(entry));
        return;
      default:
        return;
    }
  }

  /// An atomic to which every thread releases: where one acquires from all, or before, where a thread can do nothing
  /// then because it waits or is at its end.
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

  /// The pieces' lives are over; the next access to each begins another.
  void renew(std::uint64_t begin, std::uint64_t end) {
    const auto over = [](Piece& piece) {
      if (!piece.alive) return;
      piece.alive = false;
      piece.renewed = true;
    };
    survey_.memory.for_each_known_piece(begin, end, [&](std::uint64_t, std::uint64_t, Piece& piece) { over(piece); });
    for_each_mixed(begin, end, [&](auto&, MixedObject::PerThread& user) { over(user.piece); });
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

  /// The runtime tells how much room a freed block has. Behind what was asked for is memory that may have been another
  /// block's, and that this one's allocation did not renew.
  std::uint64_t freed_size(const Entry& entry) {
    const auto block = block_sizes_.find(entry.address);
    if (block == block_sizes_.end()) return entry.length;
    const std::uint64_t asked_for = block->second;
    block_sizes_.erase(block);
    return std::min(asked_for, entry.length);
  }

  /// A write that also ends the life. Whoever comes later, before the memory is given out again, still meets it.
  void free(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t written = std::min(end, begin + kFreedBytes);
    survey_.memory.for_each_known_piece(begin, written, [&](std::uint64_t from, std::uint64_t to, Piece& piece) {
      if (to <= end) access(piece, Op::Free, [&] { return fmt::format("{:#x}:{}", from, to - from); });
    });
    for_each_mixed(begin, written, [&](auto& object, MixedObject::PerThread& user) {
      if (user.thread != thread_) mixed_access(object, user, Op::Free);
    });
    // Beyond that the memory just has another life the next time.
    if (written < end) renew(written, end);
  }

  /// A block that another thread uses before it can know of it: its first piece is written here.
  void allocate(std::uint64_t begin, std::uint64_t end) {
    renew(begin, end);
    bool first = true;
    survey_.memory.for_each_known_piece(
        begin, std::min(end, begin + 8), [&](std::uint64_t from, std::uint64_t to, Piece& piece) {
          if (!std::exchange(first, false) || to > end) return;
          access(piece, Op::Write, [&] { return fmt::format("{:#x}:{}", from, to - from); });
        });
  }

  template <class Take>
  void for_each_mixed(std::uint64_t begin, std::uint64_t end, Take take) {
    for (auto object = survey_.mixed.lower_bound(begin); object != survey_.mixed.end() && object->first < end;
         ++object) {
      for (auto& user : object->second.threads) take(*object, user);
    }
  }

  static constexpr std::size_t kBuffer = 1U << 14;

  struct LifeOfSync {
    std::uint32_t number = 0;
    bool used = false;          ///< in this life
    std::uint64_t renewal = 0;  ///< of the large memory that it is in, when it was used last
    void renew() {
      if (std::exchange(used, false)) ++number;
    }
  };

  Survey& survey_;
  OmenWriter& out_;
  Names names_;
  std::map<std::uint64_t, LifeOfSync> locks_in_memory_;
  std::map<std::uint64_t, LifeOfSync> atomics_in_memory_;
  Renewals renewals_;
  LockTracker locks_;
  std::vector<Event> buffer_;
  std::vector<bool> running_;  ///< by thread: it may do anything now
  std::vector<HeapBlock> blocks_;
  std::unordered_map<std::uint64_t, std::uint64_t> block_sizes_;  ///< as asked for, of the heap blocks that are in use
  std::uint64_t events_ = 0;
  std::uint64_t synchronisations_ = 0;
  std::uint32_t thread_ = 0;
  LocationId location_{};
  std::expected<void, InputError> status_;
};

}  // namespace

std::expected<Converted, InputError> convert(const std::string& raw, const std::string& omen) {
  auto file = RawFile::open(raw);
  if (!file) return std::unexpected(std::move(file.error()));
  auto bytes = create_bytes(omen);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  Survey surveyed = survey(*file);
  OmenWriter out(std::move(*bytes));
  EventWriter writer(surveyed, out);
  const std::uint64_t last = surveyed.last_number;
  for_each_entry(*file, last, [&](std::uint32_t thread, const Entry& entry, ThreadCursor&) {
    if (writer.status()) writer.take(thread, entry);
  });
  return writer.finish();
}

}  // namespace omen::recording
