/// \file
/// System services without the C library: the program may have replaced any of its functions, and may be inside one of
/// them when a callback comes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#define OMEN_LIKELY(x) __builtin_expect(!!(x), 1)
#define OMEN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define OMEN_NOINLINE __attribute__((noinline))
#define OMEN_INLINE inline __attribute__((always_inline))

namespace omen::rt {

using uptr = std::uintptr_t;
using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u16 = std::uint16_t;
using u8 = std::uint8_t;

/// A raw system call; negative errno on failure.
long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

/// Zeroed memory that costs nothing until touched; null if there is none. Large blocks are left out of core dumps: a
/// dump through a pipe would contain every zero of tables of gigabytes.
void* map_memory(std::size_t bytes);
/// The same, in pages of 2 MiB if the system has them: for tables that are accessed at random. It stays mapped.
void* map_large_pages(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);
/// Allocates all of its pages at once, so that touching it does not fault once per page.
void populate_memory(void* memory, std::size_t bytes);
/// Zeroes it and returns its pages to the system.
void forget_memory(void* memory, std::size_t bytes);
/// How many of its bytes are backed by pages.
u64 resident_bytes(const void* memory, std::size_t bytes);

/// Sets the thread's mask of blocked signals, by the kernel's numbers, from bit 0. Returns the previous mask.
u64 set_signal_mask(u64 mask);
/// Every signal that a program may block: not the two that the C library sends to its own threads.
inline constexpr u64 kAllSignals = ~(u64{3} << 31);

u32 process_id();
u32 system_thread_id();
void yield_cpu();
/// Sleeps while the word is `value`, for at most this many nanoseconds, which must be less than a second. May return
/// early.
void await_change_for(std::atomic<u32>& word, u32 value, u64 nanoseconds);
void wake_one(std::atomic<u32>& word);

std::size_t text_length(const char* text);
bool text_equal(const char* a, const char* b);
bool text_starts(const char* text, const char* prefix);
void copy_bytes(void* to, const void* from, std::size_t bytes);
void clear_bytes(void* at, std::size_t bytes);

/// The value of an environment variable at the start of the process; null if it is not set.
const char* environment(const char* name);
void set_environment(char** envp);
char** environment_variables();  ///< at the start of the process; null before they are known

/// One line to standard error: `omen: …`.
class Message {
 public:
  Message();
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  Message& operator<<(const char* text);
  Message& operator<<(u64 number);

 private:
  char text_[1024];
  std::size_t used_ = 0;
};

/// Exponential backoff of a thread that waits for a spin lock, up to some microseconds. Each poll takes the lock's
/// cache line from the holder, which writes to that line too.
class Backoff {
 public:
  void wait() {
    for (u32 i = 0; i < pauses_; ++i) __builtin_ia32_pause();
    if (pauses_ < kMostPauses) {
      pauses_ *= 2;
    } else {
      yield_cpu();
    }
  }

 private:
  static constexpr u32 kMostPauses = 64;
  u32 pauses_ = 1;
};

/// Never held across anything that blocks, and never while the program's own code runs.
class SpinLock {
 public:
  void lock() {
    for (Backoff backoff; held_.exchange(1, std::memory_order_acquire) != 0;) {
      while (held_.load(std::memory_order_relaxed) != 0) backoff.wait();
    }
  }
  void unlock() { held_.store(0, std::memory_order_release); }
  void reset() { held_.store(0, std::memory_order_relaxed); }  ///< in a forked child: the holder is not there

 private:
  std::atomic<u32> held_{0};
};

class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace omen::rt
