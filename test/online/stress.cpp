/// \file
/// Calls the runtime from many threads, as instrumented programs do, without being one: it is linked with a runtime
/// that another sanitizer watches (stress.py says how; there the runtime's own names begin with `omen_`). It touches no
/// memory of its own between threads, so whatever the sanitizer finds is the runtime's.
///
/// Usage: stress SEED THREADS OPERATIONS WAVES
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/base/real_function.hpp"
#include "capture/runtime/interceptors/process_hooks.hpp"
#include "capture/runtime/start.hpp"

extern char** environ;

namespace omen::rt {

/// In place of platform.cpp's: the sanitizer must see memory come and go.
long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result = 0;
  if (number == SYS_mmap) {
    result = reinterpret_cast<long>(mmap(reinterpret_cast<void*>(a), static_cast<std::size_t>(b), static_cast<int>(c),
                                         static_cast<int>(d), static_cast<int>(e), f));
  } else if (number == SYS_munmap) {
    result = munmap(reinterpret_cast<void*>(a), static_cast<std::size_t>(b));
  } else {
    result = syscall(number, a, b, c, d, e, f);
  }
  return result == -1 ? -errno : result;
}

/// In place of base/real_function.cpp's: what the runtime replaces is the sanitizer's function where it has one, so
/// that it knows of the threads.
void* real_function_or_null(const char* name, const char* version) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr || version == nullptr ? found : dlvsym(RTLD_DEFAULT, name, version);
}
void* real_function(const char* name, const char* version) {
  void* const found = real_function_or_null(name, version);
  if (found == nullptr) std::abort();
  return found;
}

}  // namespace omen::rt

extern "C" {
#define OMEN_SIZE(n)                        \
  void omen___tsan_read##n(void*);          \
  void omen___tsan_write##n(void*);         \
  void omen___tsan_read_write##n(void*);    \
  void omen___tsan_volatile_read##n(void*); \
  void omen___tsan_volatile_write##n(void*);
OMEN_SIZE(1)
OMEN_SIZE(2)
OMEN_SIZE(4)
OMEN_SIZE(8)
OMEN_SIZE(16)
#undef OMEN_SIZE
void omen___tsan_unaligned_read4(void*);
void omen___tsan_unaligned_write8(void*);
void omen___tsan_read_range(void*, unsigned long);
void omen___tsan_write_range(void*, unsigned long);
void __omen_read_bytes(void*, unsigned long);
void __omen_write_bytes(void*, unsigned long);
void __omen_read_range(void*, unsigned long);
void __omen_write_range(void*, unsigned long);
void __omen_read_write_range(void*, unsigned long);
void __omen_prefetch(const void*);
void omen___tsan_vptr_update(void**, void*);
void omen___tsan_vptr_read(void**);
void omen___tsan_func_entry(void*);
void omen___tsan_func_exit();
void omen___tsan_acquire(void*);
void omen___tsan_release(void*);
std::uint32_t omen___tsan_atomic32_load(const volatile std::uint32_t*, int);
void omen___tsan_atomic32_store(volatile std::uint32_t*, std::uint32_t, int);
std::uint32_t omen___tsan_atomic32_fetch_add(volatile std::uint32_t*, std::uint32_t, int);
std::uint64_t omen___tsan_atomic64_exchange(volatile std::uint64_t*, std::uint64_t, int);
int omen___tsan_atomic8_compare_exchange_strong(volatile std::uint8_t*, std::uint8_t*, std::uint8_t, int, int);
void omen___tsan_atomic_thread_fence(int);

int __omen_intercept_pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int __omen_intercept_pthread_join(unsigned long, void**);
int __omen_intercept_pthread_setname_np(unsigned long, const char*);
int __omen_intercept_pthread_mutex_lock(void*);
int __omen_intercept_pthread_mutex_trylock(void*);
int __omen_intercept_pthread_mutex_unlock(void*);
int __omen_intercept_pthread_rwlock_rdlock(void*);
int __omen_intercept_pthread_rwlock_wrlock(void*);
int __omen_intercept_pthread_rwlock_unlock(void*);
int __omen_intercept_pthread_barrier_wait(void*);
int __omen_intercept_sem_post(void*);
int __omen_intercept_sem_trywait(void*);
void* __omen_intercept_malloc(std::size_t);
void __omen_intercept_free(void*);
}

namespace {

constexpr std::size_t kLocks = 6;
constexpr std::size_t kShared = 256;
constexpr int kOrders[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};

pthread_mutex_t mutexes[kLocks];
pthread_rwlock_t rwlocks[kLocks];
pthread_barrier_t barrier;
sem_t semaphore;
alignas(64) unsigned char shared_memory[kShared];  // only named, never touched
alignas(64) std::uint32_t words[4];                // only the runtime's atomics touch these
alignas(64) std::uint64_t long_words[4];
alignas(64) std::uint8_t bytes[4];
void* table[2];
int operations = 0;
unsigned threads = 0;
unsigned seed = 0;

class Worker {
 public:
  explicit Worker(unsigned number) : random_(seed * 1000 + number) {}

  void run() {
    for (int i = 0; i < operations; ++i) {
      if (i == operations / 2) __omen_intercept_pthread_barrier_wait(&barrier);
      nest(static_cast<int>(draw(3)));
    }
  }

 private:
  unsigned draw(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  void nest(int depth) {
    omen___tsan_func_entry(__builtin_return_address(0));
    if (depth == 0) {
      step();
    } else {
      nest(depth - 1);
    }
    omen___tsan_func_exit();
  }

  void access(void* at) {
    switch (draw(14)) {
      case 0:
        return omen___tsan_read1(at);
      case 1:
        return omen___tsan_read2(at);
      case 2:
        return omen___tsan_read4(at);
      case 3:
        return omen___tsan_read8(at);
      case 4:
        return omen___tsan_write1(at);
      case 5:
        return omen___tsan_write2(at);
      case 6:
        return omen___tsan_write4(at);
      case 7:
        return omen___tsan_write8(at);
      case 8:
        return omen___tsan_read16(at);
      case 9:
        return omen___tsan_write16(at);
      case 10:
        return omen___tsan_read_write4(at);
      case 11:
        return omen___tsan_volatile_write4(at);
      case 12:
        return omen___tsan_unaligned_read4(static_cast<char*>(at) + 3);
      default:
        return omen___tsan_unaligned_write8(static_cast<char*>(at) + 5);
    }
  }

  void* place() { return shared_memory + 16 * draw(kShared / 16 - 1); }

  unsigned long mask() { return (std::uint64_t{random_()} << 32) | random_(); }

  /// As placed checks: of bytes by a mask, and of ranges, both from any byte on.
  void placed_check() {
    constexpr unsigned kMost = 100;  // bytes
    void* const at = shared_memory + draw(kShared - kMost);
    switch (draw(6)) {
      case 0:
        return __omen_read_bytes(at, mask());
      case 1:
        return __omen_write_bytes(at, mask() & mask());
      case 2:
        return __omen_read_range(at, draw(kMost));
      case 3:
        return __omen_write_range(at, draw(kMost));
      case 4:
        return __omen_read_write_range(at, draw(kMost));
      default:
        return __omen_prefetch(at);
    }
  }

  void some_accesses() {
    for (unsigned n = draw(6); n > 0; --n) draw(4) == 0 ? placed_check() : access(place());
  }

  void atomic() {
    const int order = kOrders[draw(5)];
    std::uint8_t expected = 0;
    switch (draw(6)) {
      case 0:
        omen___tsan_atomic32_load(&words[draw(4)], order == __ATOMIC_RELEASE ? __ATOMIC_ACQUIRE : order);
        break;
      case 1:
        omen___tsan_atomic32_store(&words[draw(4)], draw(9), order == __ATOMIC_ACQUIRE ? __ATOMIC_RELEASE : order);
        break;
      case 2:
        omen___tsan_atomic32_fetch_add(&words[draw(4)], 1, order);
        break;
      case 3:
        omen___tsan_atomic64_exchange(&long_words[draw(4)], draw(9), order);
        break;
      case 4:
        omen___tsan_atomic8_compare_exchange_strong(&bytes[draw(4)], &expected, 1, order, __ATOMIC_RELAXED);
        break;
      default:
        omen___tsan_atomic_thread_fence(order == __ATOMIC_RELAXED ? __ATOMIC_SEQ_CST : order);
        break;
    }
  }

  /// Locks in the order of their numbers: no deadlock.
  void sections() {
    const unsigned first = draw(kLocks);
    const unsigned second = first + 1 + draw(2);
    if (draw(4) != 0) {
      __omen_intercept_pthread_mutex_lock(&mutexes[first]);
    } else if (__omen_intercept_pthread_mutex_trylock(&mutexes[first]) != 0) {
      return;
    }
    some_accesses();
    if (second < kLocks) {
      __omen_intercept_pthread_mutex_lock(&mutexes[second]);
      some_accesses();
      // Sometimes hand over hand.
      if (draw(2) == 0) {
        __omen_intercept_pthread_mutex_unlock(&mutexes[first]);
        some_accesses();
        __omen_intercept_pthread_mutex_unlock(&mutexes[second]);
        return;
      }
      __omen_intercept_pthread_mutex_unlock(&mutexes[second]);
    }
    __omen_intercept_pthread_mutex_unlock(&mutexes[first]);
  }

  void shared_section() {
    const unsigned lock = draw(kLocks);
    if (draw(4) == 0) {
      __omen_intercept_pthread_rwlock_wrlock(&rwlocks[lock]);
    } else {
      __omen_intercept_pthread_rwlock_rdlock(&rwlocks[lock]);
    }
    some_accesses();
    __omen_intercept_pthread_rwlock_unlock(&rwlocks[lock]);
  }

  void heap() {
    void* const block = __omen_intercept_malloc(16 + draw(2000));
    access(block);
    omen___tsan_write_range(block, 16);
    __omen_intercept_free(block);
  }

  void step() {
    switch (draw(16)) {
      case 0:
      case 1:
      case 2:
        return sections();
      case 3:
        return shared_section();
      case 4:
      case 5:
        return atomic();
      case 6:
        return heap();
      case 7:
        return omen___tsan_read_range(place(), 1 + draw(200) % 16);
      case 8:
        return omen___tsan_vptr_update(&table[draw(2)], nullptr);
      case 9:
        return omen___tsan_vptr_read(&table[draw(2)]);
      case 10:
        return omen___tsan_release(&table[draw(2)]);
      case 11:
        return omen___tsan_acquire(&table[draw(2)]);
      case 12: {
        __omen_intercept_sem_post(&semaphore);
        __omen_intercept_sem_trywait(&semaphore);
        return;
      }
      default:
        return some_accesses();
    }
  }

  std::mt19937 random_;
};

void* worker(void* number) {
  Worker(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(number))).run();
  return nullptr;
}

void* short_lived(void*) {
  omen___tsan_write4(shared_memory);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: stress SEED THREADS OPERATIONS WAVES\n");
    return 64;
  }
  seed = static_cast<unsigned>(std::atoi(argv[1]));
  threads = static_cast<unsigned>(std::atoi(argv[2]));
  operations = std::atoi(argv[3]);
  const int waves = std::atoi(argv[4]);
  omen::rt::set_environment(environ);
  omen::rt::find_heap_functions();
  omen::rt::find_real_functions();
  omen::rt::start_runtime();
  for (std::size_t i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&mutexes[i], nullptr);
    pthread_rwlock_init(&rwlocks[i], nullptr);
  }
  pthread_barrier_init(&barrier, nullptr, threads);
  sem_init(&semaphore, 0, 0);
  for (int wave = 0; wave < waves; ++wave) {
    unsigned long handles[64] = {};
    for (unsigned i = 0; i < threads && i < 64; ++i) {
      const std::uintptr_t number = static_cast<unsigned>(wave) * 64 + i;
      if (__omen_intercept_pthread_create(&handles[i], nullptr, worker, reinterpret_cast<void*>(number)) != 0) return 1;
      if (i == 0) __omen_intercept_pthread_setname_np(handles[i], "first");
      unsigned long other = 0;
      if (__omen_intercept_pthread_create(&other, nullptr, short_lived, nullptr) == 0) {
        pthread_detach(other);
      }
    }
    for (unsigned i = 0; i < threads && i < 64; ++i) __omen_intercept_pthread_join(handles[i], nullptr);
  }
  return 0;
}
