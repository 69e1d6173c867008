/// \file
/// Atomic accesses. Each executes under the lock of its address and is recorded under it. So the recording has the
/// object's modification order, and each load follows the store that it read.
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"
#include "trace/operation.hpp"

using namespace omen::rt;
using omen::MemoryOrder;
using omen::raw::RawOp;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

namespace {

__extension__ using u128 = unsigned __int128;

/// The compilers' numbers for memory orders; the bits above them are hints.
MemoryOrder order_of(int order) {
  switch (order & 0xffff) {
    case __ATOMIC_RELAXED:
      return MemoryOrder::Relaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return MemoryOrder::Acquire;
    case __ATOMIC_RELEASE:
      return MemoryOrder::Release;
    case __ATOMIC_ACQ_REL:
      return MemoryOrder::AcqRel;
    default:
      return MemoryOrder::SeqCst;
  }
}

/// The order of a load or a failed compare-exchange: without release.
MemoryOrder load_order(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::Release:
      return MemoryOrder::Relaxed;
    case MemoryOrder::AcqRel:
      return MemoryOrder::Acquire;
    default:
      return order;
  }
}

MemoryOrder store_order(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::Acquire:
      return MemoryOrder::Relaxed;
    case MemoryOrder::AcqRel:
      return MemoryOrder::Release;
    default:
      return order;
  }
}

/// The hint that the value read is unused (capture/pass/updates.hpp).
constexpr int kResultUnused = 0x10000;

/// The detail field of a read-modify-write's record. The detectors ignore whether it is an update.
u32 update_bit(int order) {
  return (order & kResultUnused) != 0 && !detect::detector.on() ? omen::raw::kUpdate : 0;
}

u32 detail(MemoryOrder order, std::size_t bytes) {
  return static_cast<u32>(order) + 256 * static_cast<u32>(bytes);
}

template <class T>
T plain_load(const volatile T* p) {
  if constexpr (sizeof(T) == 16) {
    return __sync_val_compare_and_swap(const_cast<volatile T*>(p), T{0}, T{0});
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}

template <class T>
bool plain_exchange(volatile T* p, T& expected, T value) {
  if constexpr (sizeof(T) == 16) {
    const T old = __sync_val_compare_and_swap(p, expected, value);
    const bool done = old == expected;
    expected = old;
    return done;
  } else {
    return __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
}

/// A store that may be in progress makes the version odd: see `load`. A thread that reads the stored value sees that
/// odd version, or the next one.
class StripeWrite {
 public:
  explicit StripeWrite(Recorder::Stripe& stripe) : stripe_(stripe) {
    step();
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~StripeWrite() { step(); }
  StripeWrite(const StripeWrite&) = delete;
  StripeWrite& operator=(const StripeWrite&) = delete;

 private:
  void step() { __atomic_store_n(&stripe_.version, stripe_.version + 1, __ATOMIC_RELEASE); }
  Recorder::Stripe& stripe_;
};

template <class T>
T load(const volatile T* p, int order, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->ignore_sync != 0) return plain_load(p);
  const uptr address = reinterpret_cast<uptr>(p);
  if (schedule::on()) schedule::gate(thread, pc, address, sizeof(T), omen::PointKind::Load);
  Recorder::Stripe& stripe = recorder.stripe(address);
  // A loop that waits for a value loads the same store repeatedly: one record is enough.
  if (thread->spin_address == address && thread->spin_pc == pc && thread->spin_syncs == thread->syncs) {
    const u64 before = __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST);
    const T value = plain_load(p);
    if (before == thread->spin_version && __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST) == before) return value;
  }
  const MemoryOrder as = load_order(order_of(order));
  ThreadState::LoadedAtomic& loaded = thread->loaded_atomic(address);
  const Busy busy(thread);
  if (loaded.address == address && loaded.sections == thread->begun_sections &&
      (as == MemoryOrder::Relaxed || loaded.order == as)) {
    const u64 before = __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST);
    const T value = plain_load(p);
    if (before == loaded.version && __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST) == before) {
      detect::detector.access_atomically(thread, address, sizeof(T), false, pc);
      return value;
    }
  }
  const SpinGuard guard(stripe.lock);
  const T value = plain_load(p);
  recorder.synchronise(thread, RawOp::AtomicLoad, address, detail(as, sizeof(T)), pc);
  if (detect::detector.on() && !recorder.recording()) loaded = {address, stripe.version, thread->begun_sections, as};
  thread->spin_address = address;
  thread->spin_pc = pc;
  thread->spin_version = stripe.version;
  thread->spin_syncs = thread->syncs;
  return value;
}

template <class T>
void store(volatile T* p, T value, int order, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->ignore_sync != 0) {
    if constexpr (sizeof(T) == 16) {
      T expected = *p;
      while (!plain_exchange(p, expected, value)) {
      }
    } else {
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
    }
    return;
  }
  const uptr address = reinterpret_cast<uptr>(p);
  if (schedule::on()) schedule::gate(thread, pc, address, sizeof(T), omen::PointKind::Store);
  Recorder::Stripe& stripe = recorder.stripe(address);
  const Busy busy(thread);
  const SpinGuard guard(stripe.lock);
  const StripeWrite write(stripe);
  recorder.synchronise(thread, RawOp::AtomicStore, address, detail(store_order(order_of(order)), sizeof(T)), pc);
  if constexpr (sizeof(T) == 16) {
    T expected = *p;
    while (!plain_exchange(p, expected, value)) {
    }
  } else {
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
  }
}

/// `next(old)` computes the new value. Returns the old one.
template <class T, class Next>
T modify(volatile T* p, int order, uptr pc, Next next) {
  ThreadState* const thread = recording_thread();
  T old = plain_load(p);
  if (thread == nullptr || thread->ignore_sync != 0) {
    while (!plain_exchange(p, old, next(old))) {
    }
    return old;
  }
  const uptr address = reinterpret_cast<uptr>(p);
  if (schedule::on()) schedule::gate(thread, pc, address, sizeof(T), omen::PointKind::Rmw);
  Recorder::Stripe& stripe = recorder.stripe(address);
  const MemoryOrder how = order_of(order);
  if (!omen::releases(how) && thread->spin_address == address && thread->spin_pc == pc &&
      thread->spin_syncs == thread->syncs && next(old) == old) {
    // The flag is set repeatedly, without a change: see below and `load`.
    const u64 before = __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST);
    const T again = plain_load(p);
    if (again == old && before == thread->spin_version &&
        __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST) == before) {
      return old;
    }
  }
  const Busy busy(thread);
  if (how == MemoryOrder::Relaxed && detect::detector.access_relaxed(thread, address, sizeof(T), pc)) {
    // The write continues the current release sequence. A thread that has loaded an earlier store of that sequence has
    // nothing to learn from this one, so the version stays.
    while (!plain_exchange(p, old, next(old))) {
    }
    // The value read here may come from a store that is still in progress, which has to be recorded first.
    if ((__atomic_load_n(&stripe.version, __ATOMIC_ACQUIRE) & 1) != 0) const SpinGuard until_done(stripe.lock);
    detect::detector.after_relaxed(thread, address);
    return old;
  }
  const SpinGuard guard(stripe.lock);
  old = plain_load(p);
  if (next(old) == old && !omen::releases(how)) {
    // Nothing changes and nothing is released: a later reader reads the old value, in the same release sequence.
    recorder.synchronise(thread, RawOp::AtomicLoad, address, detail(load_order(how), sizeof(T)), pc);
    thread->spin_address = address;
    thread->spin_pc = pc;
    thread->spin_version = stripe.version;
    thread->spin_syncs = thread->syncs;
    return old;
  }
  const StripeWrite write(stripe);
  while (!plain_exchange(p, old, next(old))) {
  }
  recorder.synchronise(thread, RawOp::AtomicRmw, address, detail(how, sizeof(T)) | update_bit(order), pc);
  return old;
}

template <class T>
bool compare_exchange(volatile T* p, T* expected, T value, int order, int failure, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->ignore_sync != 0) return plain_exchange(p, *expected, value);
  const uptr address = reinterpret_cast<uptr>(p);
  if (schedule::on()) schedule::gate(thread, pc, address, sizeof(T), omen::PointKind::Rmw);
  Recorder::Stripe& stripe = recorder.stripe(address);
  const MemoryOrder on_failure = load_order(order_of(failure));
  if (thread->spin_address == address && thread->spin_pc == pc && thread->spin_syncs == thread->syncs) {
    const u64 before = __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST);
    const T seen = plain_load(p);
    if (seen != *expected && before == thread->spin_version &&
        __atomic_load_n(&stripe.version, __ATOMIC_SEQ_CST) == before) {
      *expected = seen;
      return false;
    }
  }
  const Busy busy(thread);
  const SpinGuard guard(stripe.lock);
  if (plain_load(p) != *expected) {
    *expected = plain_load(p);
    recorder.synchronise(thread, RawOp::AtomicLoad, address, detail(on_failure, sizeof(T)), pc);
    thread->spin_address = address;
    thread->spin_pc = pc;
    thread->spin_version = stripe.version;
    thread->spin_syncs = thread->syncs;
    return false;
  }
  const StripeWrite write(stripe);
  const bool done = plain_exchange(p, *expected, value);  // false only where uninstrumented code interferes
  if (done) {
    recorder.synchronise(thread, RawOp::AtomicRmw, address, detail(order_of(order), sizeof(T)), pc);
  } else {
    recorder.synchronise(thread, RawOp::AtomicLoad, address, detail(on_failure, sizeof(T)), pc);
  }
  return done;
}

}  // namespace

#define OMEN_ATOMIC(bits, T)                                                                                     \
  OMEN_ABI T __tsan_atomic##bits##_load(const volatile T* p, int order) {                                        \
    return load(p, order, OMEN_CALLER);                                                                          \
  }                                                                                                              \
  OMEN_ABI void __tsan_atomic##bits##_store(volatile T* p, T v, int order) {                                     \
    store(p, v, order, OMEN_CALLER);                                                                             \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_exchange(volatile T* p, T v, int order) {                                     \
    return modify(p, order, OMEN_CALLER, [v](T) { return v; });                                                  \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int order) {                                    \
    return modify(p, order, OMEN_CALLER, [v](T old) { return static_cast<T>(old + v); });                        \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int order) {                                    \
    return modify(p, order, OMEN_CALLER, [v](T old) { return static_cast<T>(old - v); });                        \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_fetch_and(volatile T* p, T v, int order) {                                    \
    return modify(p, order, OMEN_CALLER, [v](T old) { return static_cast<T>(old & v); });                        \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_fetch_or(volatile T* p, T v, int order) {                                     \
    return modify(p, order, OMEN_CALLER, [v](T old) { return static_cast<T>(old | v); });                        \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_fetch_xor(volatile T* p, T v, int order) {                                    \
    return modify(p, order, OMEN_CALLER, [v](T old) { return static_cast<T>(old ^ v); });                        \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_fetch_nand(volatile T* p, T v, int order) {                                   \
    return modify(p, order, OMEN_CALLER, [v](T old) { return static_cast<T>(~(old & v)); });                     \
  }                                                                                                              \
  OMEN_ABI int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* e, T v, int order, int failure) { \
    return compare_exchange(p, e, v, order, failure, OMEN_CALLER);                                               \
  }                                                                                                              \
  OMEN_ABI int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* e, T v, int order, int failure) {   \
    return compare_exchange(p, e, v, order, failure, OMEN_CALLER);                                               \
  }                                                                                                              \
  OMEN_ABI T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T e, T v, int order, int failure) {       \
    compare_exchange(p, &e, v, order, failure, OMEN_CALLER);                                                     \
    return e;                                                                                                    \
  }

OMEN_ATOMIC(8, u8)
OMEN_ATOMIC(16, u16)
OMEN_ATOMIC(32, u32)
OMEN_ATOMIC(64, u64)
OMEN_ATOMIC(128, u128)

namespace {

OMEN_INLINE void fence(int order, uptr pc) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return;
  const MemoryOrder how = order_of(order);
  if (how == MemoryOrder::Relaxed) return;
  recorder.synchronise(thread, RawOp::Fence, 0, detail(how, 0), pc);
}
OMEN_NOINLINE void fence_scheduled(int order, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread != nullptr && order_of(order) != MemoryOrder::Relaxed) schedule::fence(thread, pc);
  fence(order, pc);
}

}  // namespace

OMEN_ABI void __tsan_atomic_thread_fence(int order) {
  if (schedule::on()) return fence_scheduled(order, OMEN_CALLER);
  fence(order, OMEN_CALLER);
}

OMEN_ABI void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
