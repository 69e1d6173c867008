#include "test/online/traces/detector.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/recorder/recorder.hpp"

#define OMEN_SIZED(bytes)                     \
  extern "C" void __tsan_read##bytes(void*);  \
  extern "C" void __tsan_write##bytes(void*); \
  extern "C" void __tsan_read_write##bytes(void*);
OMEN_SIZED(1)
OMEN_SIZED(2)
OMEN_SIZED(4)
OMEN_SIZED(8)
OMEN_SIZED(16)
#undef OMEN_SIZED
#define OMEN_UNALIGNED(bytes)                          \
  extern "C" void __tsan_unaligned_read##bytes(void*); \
  extern "C" void __tsan_unaligned_write##bytes(void*);
OMEN_UNALIGNED(2)
OMEN_UNALIGNED(4)
OMEN_UNALIGNED(8)
OMEN_UNALIGNED(16)
#undef OMEN_UNALIGNED
extern "C" {
void __tsan_read_range(void*, unsigned long);
void __tsan_write_range(void*, unsigned long);
void __omen_read_bytes(void*, unsigned long);
void __omen_write_bytes(void*, unsigned long);
void __omen_read_range(void*, unsigned long);
void __omen_write_range(void*, unsigned long);
void __tsan_atomic_thread_fence(int);
#define OMEN_ATOMIC(bits)                 \
  void __tsan_atomic##bits##_load();      \
  void __tsan_atomic##bits##_store();     \
  void __tsan_atomic##bits##_exchange();  \
  void __tsan_atomic##bits##_fetch_add(); \
  void __tsan_atomic##bits##_compare_exchange_strong();
OMEN_ATOMIC(8)
OMEN_ATOMIC(16)
OMEN_ATOMIC(32)
OMEN_ATOMIC(64)
OMEN_ATOMIC(128)
#undef OMEN_ATOMIC
}

namespace omen::traces {
namespace {

using raw::RawOp;
using rt::recorder;
using rt::ThreadState;
using rt::uptr;
using rt::detect::detector;

/// The runtime knows a place in the program by the address that a call returns to. So there is a place for each step: a
/// piece of code that calls what its sixth argument says, with the first five.
class Places {
 public:
  void create() {
    constexpr std::size_t kSize = Detector::kMostNumbers * kBytes;
    code_ = static_cast<unsigned char*>(
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (code_ == MAP_FAILED) std::abort();
    constexpr std::array<unsigned char, 12> kCall{0x48, 0x83, 0xec, 0x08,  // sub $8, %rsp
                                                  0x41, 0xff, 0xd1,        // call *%r9
                                                  0x48, 0x83, 0xc4, 0x08,  // add $8, %rsp
                                                  0xc3};                   // ret
    for (std::size_t i = 0; i < Detector::kMostNumbers; ++i) {
      std::memcpy(code_ + i * kBytes, kCall.data(), kCall.size());
    }
  }
  uptr pc(std::size_t number) const { return reinterpret_cast<uptr>(code_ + number * kBytes) + kReturn; }
  std::size_t number(uptr pc) const {
    const uptr offset = pc - kReturn - reinterpret_cast<uptr>(code_);
    return offset / kBytes < Detector::kMostNumbers && offset % kBytes == 0 ? offset / kBytes : Report::kUnknown;
  }
  template <class Function>
  void call(std::size_t number, Function* function, uptr a, uptr b = 0, uptr c = 0, uptr d = 0, uptr e = 0) const {
    using Place = void (*)(uptr, uptr, uptr, uptr, uptr, void*);
    reinterpret_cast<Place>(code_ + number * kBytes)(a, b, c, d, e, reinterpret_cast<void*>(function));
  }

 private:
  static constexpr std::size_t kBytes = 16;
  static constexpr std::size_t kReturn = 7;
  unsigned char* code_ = nullptr;
};
Places places;

int compilers_number(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::Relaxed:
      return __ATOMIC_RELAXED;
    case MemoryOrder::Acquire:
      return __ATOMIC_ACQUIRE;
    case MemoryOrder::Release:
      return __ATOMIC_RELEASE;
    case MemoryOrder::AcqRel:
      return __ATOMIC_ACQ_REL;
    case MemoryOrder::SeqCst:
      return __ATOMIC_SEQ_CST;
  }
  return __ATOMIC_SEQ_CST;
}

std::size_t log2_of(std::size_t bytes) {
  return static_cast<std::size_t>(__builtin_ctzll(bytes));
}

/// Each program has its own range. The ranges are adjacent, so knowledge about the memory of one applies to the next.
class Memory {
 public:
  void create() {
    // No more programs than steps.
    constexpr std::size_t kSize = Detector::kMostNumbers * 256;
    memory_ = static_cast<char*>(
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (memory_ == MAP_FAILED) std::abort();
  }
  uptr take() { return reinterpret_cast<uptr>(memory_ + kMemory * taken_++); }

 private:
  char* memory_ = nullptr;
  std::size_t taken_ = 0;
};
Memory memory;
ThreadState* root = nullptr;
std::vector<ThreadState*> unused_threads;

void enter_function(ThreadState* thread) {
  thread->stack.enter(places.pc(0), ~uptr{0} >> 1);
}

/// As a fresh one, but for its number.
ThreadState* take_thread() {
  if (unused_threads.empty()) {
    ThreadState* const thread = recorder.create_thread();
    if (thread == nullptr) std::abort();
    enter_function(thread);
    return thread;
  }
  ThreadState* const thread = unused_threads.back();
  unused_threads.pop_back();
  thread->watch = ThreadState::Watch::Yes;
  thread->look_closer = 1;
  thread->cell_now = ThreadState::kNever;
  thread->spin_address = thread->spin_pc = 0;
  thread->syncs = 0;
  thread->refusal = {};
  for (auto& loaded : thread->loaded_atomics) loaded = {};
  return thread;
}

class Run {
 public:
  Run(const Program& program, std::size_t first) : program_(program), first_(first), base_(memory.take()) {
    threads_.assign(program.threads(), nullptr);
    ended_.assign(program.threads(), false);
    threads_[0] = root;
  }

  void all() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      number_ = first_ + i;
      if (step.op == Op::Fork) {
        fork(step.thread, step.object);
      } else if (step.op == Op::Join) {
        join(step.thread, step.object);
      } else if (step.op == Op::End) {
        end(step.thread);
      } else {
        as(threads_[step.thread], [&] { take(step); });
      }
    }
    number_ = 0;
    finish();
  }

 private:
  template <class What>
  static void as(ThreadState* thread, What what) {
    rt::set_current_thread(thread);
    what();
    rt::set_current_thread(nullptr);
  }
  static void synchronise(ThreadState* thread, RawOp op, uptr object, std::size_t number) {
    recorder.synchronise(thread, op, object, 0, places.pc(number));
  }

  void fork(std::size_t parent, std::size_t child) {
    threads_[child] = take_thread();
    as(threads_[parent], [&] { synchronise(threads_[parent], RawOp::Fork, threads_[child]->id, number_); });
    as(threads_[child], [&] { synchronise(threads_[child], RawOp::Begin, threads_[child]->id, 0); });
  }
  void end(std::size_t thread) {
    if (ended_[thread]) return;
    ended_[thread] = true;
    as(threads_[thread], [&] { synchronise(threads_[thread], RawOp::EndThread, 0, 0); });
  }
  void join(std::size_t parent, std::size_t child) {
    end(child);
    as(threads_[parent], [&] { synchronise(threads_[parent], RawOp::Join, threads_[child]->id, number_); });
    unused_threads.push_back(threads_[child]);
    threads_[child] = nullptr;
  }

  /// Releases held locks, and joins the remaining threads.
  void finish() {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t] == nullptr || ended_[t]) continue;
      give_back_locks(t);
    }
    for (std::size_t t = 1; t < threads_.size(); ++t) {
      if (threads_[t] != nullptr) join(0, t);
    }
  }
  void give_back_locks(std::size_t thread) {
    std::array<int, kMostLocks> held{};
    std::array<bool, kMostLocks> shared{};
    for (const Step& step : program_.steps) {
      if (step.thread != thread || step.refused || traits(step.op).operand != OperandKind::Lock) continue;
      const bool takes = step.op == Op::Acquire || step.op == Op::AcquireShared;
      if (takes) shared[step.object] = step.op == Op::AcquireShared;
      if (takes || step.op == Op::Release || step.op == Op::ReleaseShared) held[step.object] += takes ? 1 : -1;
    }
    for (std::size_t i = program_.steps.size(); i-- > 0;) {
      const Step& step = program_.steps[i];
      if (step.thread != thread || (step.op != Op::Wait && step.op != Op::Wake)) continue;
      if (step.op == Op::Wait) held[step.object] = 0;
      break;
    }
    for (std::size_t m = 0; m < kMostLocks; ++m) {
      for (; held[m] > 0; --held[m]) {
        as(threads_[thread],
           [&] { synchronise(threads_[thread], shared[m] ? RawOp::ReleaseShared : RawOp::Release, lock(m), 0); });
      }
    }
  }

  uptr lock(std::size_t m) const { return base_ + program_.locks[m]; }
  uptr barrier(std::size_t b) const { return base_ + kMemory - 256 + b * 8; }

  void take(const Step& step) {
    ThreadState* const self = threads_[step.thread];
    const uptr pc = places.pc(number_);
    if (step.refused) {
      return recorder.refused(self, RawOp::Refused, lock(step.object), step.op == Op::AcquireShared ? 1 : 0, pc);
    }
    switch (step.op) {
      case Op::Acquire:
        return recorder.synchronise(self, RawOp::Acquire, lock(step.object), 0, pc);
      case Op::Release:
        return recorder.synchronise(self, RawOp::Release, lock(step.object), 0, pc);
      case Op::AcquireShared:
        return recorder.synchronise(self, RawOp::AcquireShared, lock(step.object), 0, pc);
      case Op::ReleaseShared:
        // As pthread_rwlock_unlock: it does not know how the lock was taken.
        return recorder.synchronise(self, RawOp::Release, lock(step.object), 0, pc);
      case Op::Wait:
        return recorder.synchronise(self, RawOp::Wait, lock(step.object), 0, pc);
      case Op::Wake:
        return recorder.synchronise(self, RawOp::Wake, lock(step.object), 0, pc);
      case Op::BarrierArrive:
        return recorder.synchronise(self, RawOp::BarrierArrive, barrier(step.object), 0, pc);
      case Op::BarrierLeave:
        return recorder.synchronise(self, RawOp::BarrierLeave, barrier(step.object), 0, pc);
      case Op::Fence:
        return places.call(number_, &__tsan_atomic_thread_fence, static_cast<uptr>(compilers_number(step.order)));
      case Op::AtomicLoad:
      case Op::AtomicStore:
      case Op::AtomicRmw:
        return atomic(step);
      case Op::Allocate:
        return allocate(self, step, pc);
      case Op::Free:
        return recorder.memory(self, RawOp::Free, base_ + step.offset, step.bytes, pc);
      default:
        return access(step);
    }
  }

  /// A block of the heap has its size in front, as the C library's.
  void allocate(ThreadState* self, const Step& step, uptr pc) const {
    const uptr at = base_ + step.offset;
    if (program_.heap) {
      constexpr uptr kMapped = 2;
      reinterpret_cast<uptr*>(at)[-1] = (step.bytes + 2 * sizeof(uptr)) | kMapped;
    }
    recorder.memory(self, program_.heap ? RawOp::Allocate : RawOp::NewMemory, at, step.bytes, pc);
  }

  void access(const Step& step) const {
    using Sized = void (*)(void*);
    static constexpr std::array<std::array<Sized, 5>, 2> kSized{
        {{__tsan_read1, __tsan_read2, __tsan_read4, __tsan_read8, __tsan_read16},
         {__tsan_write1, __tsan_write2, __tsan_write4, __tsan_write8, __tsan_write16}}};
    static constexpr std::array<Sized, 5> kReadWrite{__tsan_read_write1, __tsan_read_write2, __tsan_read_write4,
                                                     __tsan_read_write8, __tsan_read_write16};
    static constexpr std::array<std::array<Sized, 5>, 2> kUnaligned{
        {{__tsan_read1, __tsan_unaligned_read2, __tsan_unaligned_read4, __tsan_unaligned_read8,
          __tsan_unaligned_read16},
         {__tsan_write1, __tsan_unaligned_write2, __tsan_unaligned_write4, __tsan_unaligned_write8,
          __tsan_unaligned_write16}}};
    const bool write = step.op == Op::Write;
    const uptr at = base_ + step.offset;
    switch (step.form) {
      case Form::Unaligned:
        return places.call(number_, kUnaligned[write][log2_of(step.bytes)], at);
      case Form::ReadWrite:
        return places.call(number_, kReadWrite[log2_of(step.bytes)], at);
      case Form::Bytes:
        return places.call(number_, write ? &__omen_write_bytes : &__omen_read_bytes, at, step.mask);
      case Form::Range:
        return places.call(number_, write ? &__omen_write_range : &__omen_read_range, at, step.bytes);
      case Form::TsanRange:
        return places.call(number_, write ? &__tsan_write_range : &__tsan_read_range, at, step.bytes);
      default:
        return places.call(number_, kSized[write][log2_of(step.bytes)], at);
    }
  }

  void atomic(const Step& step) const {
    using Any = void (*)();
    static constexpr std::array<Any, 5> kLoad{__tsan_atomic8_load, __tsan_atomic16_load, __tsan_atomic32_load,
                                              __tsan_atomic64_load, __tsan_atomic128_load};
    static constexpr std::array<Any, 5> kStore{__tsan_atomic8_store, __tsan_atomic16_store, __tsan_atomic32_store,
                                               __tsan_atomic64_store, __tsan_atomic128_store};
    static constexpr std::array<Any, 5> kAdd{__tsan_atomic8_fetch_add, __tsan_atomic16_fetch_add,
                                             __tsan_atomic32_fetch_add, __tsan_atomic64_fetch_add,
                                             __tsan_atomic128_fetch_add};
    static constexpr std::array<Any, 4> kChange{
        __tsan_atomic8_compare_exchange_strong, __tsan_atomic16_compare_exchange_strong,
        __tsan_atomic32_compare_exchange_strong, __tsan_atomic64_compare_exchange_strong};
    static constexpr std::array<Any, 4> kExchange{__tsan_atomic8_exchange, __tsan_atomic16_exchange,
                                                  __tsan_atomic32_exchange, __tsan_atomic64_exchange};
    const uptr at = base_ + step.offset;
    const std::size_t size = log2_of(step.bytes);
    const bool wide = step.bytes == 16;  // its values are in two registers
    const auto order = static_cast<uptr>(compilers_number(step.order));
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(at), std::min<std::size_t>(step.bytes, sizeof value));
    ++value;  // the stored value differs from the old one
    if (step.op == Op::AtomicLoad) {
      if (step.form != Form::FailedChange || wide) return places.call(number_, kLoad[size], at, order);
      return places.call(number_, kChange[size], at, reinterpret_cast<uptr>(&value), value, order, order);
    }
    if (wide) return places.call(number_, (step.op == Op::AtomicStore ? kStore : kAdd)[size], at, value, 0, order);
    if (step.op == Op::AtomicStore) return places.call(number_, kStore[size], at, value, order);
    if (step.form == Form::Exchange) return places.call(number_, kExchange[size], at, value, order);
    places.call(number_, kAdd[size], at, 1, order);
  }

  const Program& program_;
  std::size_t first_;
  uptr base_;
  std::size_t number_ = 0;
  std::vector<ThreadState*> threads_;
  std::vector<bool> ended_;
};

}  // namespace

Detector::Detector(const How& how, const std::string& folder) : log_(folder + "/online." + std::to_string(getpid())) {
  static std::string option = std::string("OMEN_OPTIONS=stats=") + (how.counts ? "1" : "0");
  static std::array<char*, 2> environment{option.data(), nullptr};
  rt::set_environment(environment.data());
  places.create();
  memory.create();
  static const std::string setting = how.analysis + (":" + folder);
  static const std::string kept = folder;  // the recorder does not copy it
  constexpr std::uint64_t kMostBytes = 1U << 30;
  if (!recorder.prepare() || (how.records && !recorder.start(kept.c_str(), kMostBytes)) ||
      !detector.start(setting.c_str())) {
    std::abort();
  }
  root = recorder.create_thread();
  if (root == nullptr) std::abort();
  enter_function(root);
  rt::set_current_thread(root);
  recorder.synchronise(root, RawOp::Begin, root->id, 0, 0);
  rt::set_current_thread(nullptr);
}

void Detector::run(const Program& program, std::size_t first) {
  Run(program, first).all();
}

std::vector<Report> Detector::reports() const {
  std::vector<Report> reports;
  std::ifstream in(log_);
  const auto number_in = [](const std::string& line) {
    const std::size_t at = line.find(" : ");
    if (at == std::string::npos || line[at + 3] == '?') return Report::kUnknown;
    return places.number(std::stoull(line.substr(at + 3), nullptr, 16));
  };
  Report report{};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("race ")) report = {0, 0, line.find(" observed ") != std::string::npos};
    if (line.starts_with("access now ")) report.now = number_in(line);
    if (line.starts_with("access earlier ")) report.earlier = number_in(line);
    if (line == "end") reports.push_back(report);
  }
  return reports;
}

std::string Detector::incomplete() const {
  std::ifstream in(log_);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("incomplete ")) text += line + "\n";
  }
  return text;
}

}  // namespace omen::traces
