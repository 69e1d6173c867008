/// \file
/// `sanitizer/tsan_interface_java.h`: a virtual machine's heap, whose blocks its collector moves.
///
/// A lock or volatile variable of the heap keeps its identity when its block moves, so it is identified by a number and
/// not by its address. The heap has two side tables with an entry for each 8 bytes: the size of the block that begins
/// there, and the number of the object that synchronises there. Moving a block moves its entries. The destination of a
/// move begins a new life: accesses before the move are not compared with those after it (as in ThreadSanitizer).
#include "capture/runtime/recorder/recorder.hpp"
#include "trace/operation.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

namespace {

constexpr uptr kCell = 8;
/// Addresses that no object of the program has, distinct from those of descriptors.
constexpr uptr kObjects = (uptr{1} << 47) + (uptr{1} << 45);

/// The synchronisation objects of one cell, by offset. Only the holder of a lock accesses its depth.
struct Objects {
  u16 depth[kCell];  ///< the holder's lock count
};

class JavaHeap {
 public:
  bool create(uptr begin, uptr bytes) {
    const uptr cells = bytes / kCell;
    sizes_ = static_cast<u64*>(map_memory(cells * sizeof(u64)));
    numbers_ = static_cast<std::atomic<u32>*>(map_memory(cells * sizeof(u32)));
    objects_ = static_cast<Objects*>(map_memory(kMost * sizeof(Objects)));
    if (sizes_ == nullptr || numbers_ == nullptr || objects_ == nullptr) return false;
    begin_ = begin;
    end_ = begin + cells * kCell;
    return true;
  }

  bool contains(uptr address, uptr bytes) const {
    return address >= begin_ && address <= end_ && bytes <= end_ - address;
  }

  void add_block(uptr address, uptr bytes) { sizes_[cell(address)] = bytes; }

  /// Removes the blocks, and the objects in them.
  void clear(uptr address, uptr bytes) {
    for (uptr at = cell(address); at < cell(address + bytes); ++at) {
      sizes_[at] = 0;
      numbers_[at].store(0, std::memory_order_relaxed);
    }
  }

  /// The ranges may overlap. The program is stopped meanwhile.
  void move(uptr from, uptr to, uptr bytes) {
    const uptr count = bytes / kCell;
    const uptr source = cell(from);
    const uptr target = cell(to);
    for (uptr i = 0; i < count; ++i) {
      const uptr step = target < source ? i : count - 1 - i;
      sizes_[target + step] = sizes_[source + step];
      numbers_[target + step].store(numbers_[source + step].load(std::memory_order_relaxed), std::memory_order_relaxed);
      sizes_[source + step] = 0;
      numbers_[source + step].store(0, std::memory_order_relaxed);
    }
  }

  /// The size of the first block that begins in [from, to), and where; 0 if there is none.
  uptr find(uptr& from, uptr to) const {
    for (uptr at = cell(from); at < cell(to); ++at) {
      if (sizes_[at] == 0) continue;
      from = begin_ + at * kCell;
      return sizes_[at];
    }
    return 0;
  }

  /// The number of the object in the address's cell; a fresh one if there is none.
  u32 number(uptr address) {
    std::atomic<u32>& place = numbers_[cell(address)];
    u32 number = place.load(std::memory_order_relaxed);
    if (number != 0) return number;
    const u32 fresh = last_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (fresh >= kMost) return kMost - 1;  // objects share a number from here on: this only adds order
    return place.compare_exchange_strong(number, fresh, std::memory_order_relaxed) ? fresh : number;
  }
  u16& depth(uptr address) { return objects_[number(address)].depth[address % kCell]; }

 private:
  static constexpr u32 kMost = 1U << 26;

  uptr cell(uptr address) const { return (address - begin_) / kCell; }

  uptr begin_ = 0;
  uptr end_ = 0;
  u64* sizes_ = nullptr;
  std::atomic<u32>* numbers_ = nullptr;
  Objects* objects_ = nullptr;
  std::atomic<u32> last_{0};
};

constinit JavaHeap heap;

/// The object that represents a lock or a volatile variable in the recording.
uptr object_at(uptr address) {
  return heap.contains(address, 1) ? kObjects + heap.number(address) * kCell + address % kCell : address;
}

void synchronise(RawOp op, uptr object, u32 detail, uptr pc) {
  if (ThreadState* const thread = recording_thread()) recorder.synchronise(thread, op, object, detail, pc);
}
void memory(RawOp op, uptr address, uptr bytes, uptr pc) {
  if (ThreadState* const thread = recording_thread()) recorder.memory(thread, op, address, bytes, pc);
}

void lock(uptr address, u32 times, uptr pc) {
  const uptr object = object_at(address);
  for (u32 i = 0; i < times; ++i) synchronise(RawOp::Acquire, object, 0, pc);
  if (heap.contains(address, 1)) heap.depth(address) = static_cast<u16>(heap.depth(address) + times);
}
void unlock(uptr address, u32 times, uptr pc) {
  const uptr object = object_at(address);
  if (heap.contains(address, 1)) heap.depth(address) = static_cast<u16>(heap.depth(address) - times);
  for (u32 i = 0; i < times; ++i) synchronise(RawOp::Release, object, 0, pc);
}

}  // namespace

OMEN_ABI void __tsan_java_init(uptr heap_begin, uptr heap_bytes) {
  if (current_thread != nullptr && !heap.create(heap_begin, heap_bytes)) {
    Message() << "there is no memory to follow the Java heap with; its blocks and locks are known by their addresses";
  }
}
/// The number of races: 0, since they are known only after the run.
OMEN_ABI int __tsan_java_fini() {
  return 0;
}

OMEN_ABI void __tsan_java_alloc(uptr block, uptr bytes) {
  if (heap.contains(block, bytes)) heap.add_block(block, bytes);
  memory(RawOp::AllocateUnwritten, block, bytes, OMEN_CALLER);
}
OMEN_ABI void __tsan_java_free(uptr block, uptr bytes) {
  if (heap.contains(block, bytes)) heap.clear(block, bytes);
  memory(RawOp::Renew, block, bytes, OMEN_CALLER);
}
OMEN_ABI void __tsan_java_move(uptr from, uptr to, uptr bytes) {
  if (heap.contains(from, bytes) && heap.contains(to, bytes)) heap.move(from, to, bytes);
  memory(RawOp::Renew, to, bytes, OMEN_CALLER);
}
OMEN_ABI uptr __tsan_java_find(uptr* from, uptr to) {
  return heap.contains(*from, 0) && heap.contains(to, 0) ? heap.find(*from, to) : 0;
}

/// Finalizers are ordered after all accesses to their objects, by any thread.
OMEN_ABI void __tsan_java_finalize() {
  synchronise(RawOp::AcquireAll, 0, 0, OMEN_CALLER);
}

OMEN_ABI void __tsan_java_mutex_lock(uptr address) {
  lock(address, 1, OMEN_CALLER);
}
OMEN_ABI void __tsan_java_mutex_unlock(uptr address) {
  unlock(address, 1, OMEN_CALLER);
}
OMEN_ABI void __tsan_java_mutex_read_lock(uptr address) {
  synchronise(RawOp::AcquireShared, object_at(address), 0, OMEN_CALLER);
}
OMEN_ABI void __tsan_java_mutex_read_unlock(uptr address) {
  synchronise(RawOp::ReleaseShared, object_at(address), 0, OMEN_CALLER);
}
/// Re-acquires the count that `__tsan_java_mutex_unlock_rec` released.
OMEN_ABI void __tsan_java_mutex_lock_rec(uptr address, int times) {
  lock(address, static_cast<u32>(times), OMEN_CALLER);
}
OMEN_ABI int __tsan_java_mutex_unlock_rec(uptr address) {
  const u32 times = heap.contains(address, 1) ? heap.depth(address) : 1;
  unlock(address, times, OMEN_CALLER);
  return static_cast<int>(times);
}

OMEN_ABI void __tsan_java_acquire(uptr address) {
  synchronise(RawOp::SyncAcquire, object_at(address), 0, OMEN_CALLER);
}
OMEN_ABI void __tsan_java_release(uptr address) {
  synchronise(RawOp::SyncRelease, object_at(address), 0, OMEN_CALLER);
}
/// Earlier releases there are discarded.
OMEN_ABI void __tsan_java_release_store(uptr address) {
  synchronise(RawOp::AtomicStore, object_at(address), static_cast<u32>(omen::MemoryOrder::Release), OMEN_CALLER);
}
