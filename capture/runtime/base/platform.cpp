/// \file
/// Raw system calls (x86-64 Linux).
#include "capture/runtime/base/platform.hpp"

#include <asm/unistd.h>
#include <linux/mman.h>

#ifndef MAP_PRIVATE
#define MAP_PRIVATE 0x02
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0x4000
#endif

namespace omen::rt {

long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result = number;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}

namespace {
constexpr long kReadWrite = 3;           // PROT_READ | PROT_WRITE
constexpr long kMadvDontNeed = 4;        // MADV_DONTNEED
constexpr long kMadvHugePage = 14;       // MADV_HUGEPAGE
constexpr long kMadvDontDump = 16;       // MADV_DONTDUMP
constexpr long kMadvPopulateWrite = 23;  // MADV_POPULATE_WRITE
constexpr long kFutexWaitPrivate = 128;  // FUTEX_WAIT_PRIVATE
constexpr long kFutexWakePrivate = 129;  // FUTEX_WAKE_PRIVATE
constexpr std::size_t kLargestDumped = std::size_t{1} << 20;
constexpr std::size_t kLargePage = std::size_t{2} << 20;
char** environment_block = nullptr;  // set once, before threads exist
}  // namespace

void* map_memory(std::size_t bytes) {
  const long at = system_call(__NR_mmap, 0, static_cast<long>(bytes), kReadWrite,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at < 0 && at > -4096) return nullptr;
  if (bytes > kLargestDumped) system_call(__NR_madvise, at, static_cast<long>(bytes), kMadvDontDump);
  return reinterpret_cast<void*>(at);
}

void* map_large_pages(std::size_t bytes) {
  void* const memory = map_memory(bytes + kLargePage);
  if (memory == nullptr) return nullptr;
  const uptr at = (reinterpret_cast<uptr>(memory) + kLargePage - 1) & ~(kLargePage - 1);
  system_call(__NR_madvise, static_cast<long>(at), static_cast<long>(bytes), kMadvHugePage);
  return reinterpret_cast<void*>(at);
}

void unmap_memory(void* memory, std::size_t bytes) {
  system_call(__NR_munmap, reinterpret_cast<long>(memory), static_cast<long>(bytes));
}

void populate_memory(void* memory, std::size_t bytes) {
  // Older kernels lack it; then pages are allocated when they are first touched.
  system_call(__NR_madvise, reinterpret_cast<long>(memory), static_cast<long>(bytes), kMadvPopulateWrite);
}

void forget_memory(void* memory, std::size_t bytes) {
  system_call(__NR_madvise, reinterpret_cast<long>(memory), static_cast<long>(bytes), kMadvDontNeed);
}

u64 resident_bytes(const void* memory, std::size_t bytes) {
  constexpr uptr kPage = 4096;
  constexpr uptr kPart = 1024;
  const uptr begin = reinterpret_cast<uptr>(memory) & ~(kPage - 1);
  const uptr pages = (reinterpret_cast<uptr>(memory) + bytes - begin + kPage - 1) / kPage;
  u64 resident = 0;
  for (uptr page = 0; page < pages; page += kPart) {
    const uptr part = pages - page < kPart ? pages - page : kPart;
    u8 in_memory[kPart];
    if (system_call(__NR_mincore, static_cast<long>(begin + page * kPage), static_cast<long>(part * kPage),
                    reinterpret_cast<long>(in_memory)) != 0) {
      continue;
    }
    for (uptr i = 0; i < part; ++i) resident += in_memory[i] & 1;
  }
  return resident * kPage;
}

u64 set_signal_mask(u64 mask) {
  constexpr long kSet = 2;  // SIG_SETMASK
  u64 before = 0;
  system_call(__NR_rt_sigprocmask, kSet, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&before), sizeof mask);
  return before;
}

u32 process_id() {
  return static_cast<u32>(system_call(__NR_getpid));
}
u32 system_thread_id() {
  return static_cast<u32>(system_call(__NR_gettid));
}
void yield_cpu() {
  system_call(__NR_sched_yield);
}

void await_change_for(std::atomic<u32>& word, u32 value, u64 nanoseconds) {
  const u64 time[2] = {0, nanoseconds};
  system_call(__NR_futex, reinterpret_cast<long>(&word), kFutexWaitPrivate, value, reinterpret_cast<long>(time));
}
void wake_one(std::atomic<u32>& word) {
  system_call(__NR_futex, reinterpret_cast<long>(&word), kFutexWakePrivate, 1);
}

std::size_t text_length(const char* text) {
  std::size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}

bool text_equal(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

bool text_starts(const char* text, const char* prefix) {
  while (*prefix != 0 && *text == *prefix) ++text, ++prefix;
  return *prefix == 0;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void clear_bytes(void* at, std::size_t bytes) {
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
}

void set_environment(char** envp) {
  environment_block = envp;
}

char** environment_variables() {
  return environment_block;
}

const char* environment(const char* name) {
  if (environment_block == nullptr) return nullptr;
  const std::size_t length = text_length(name);
  for (char** entry = environment_block; *entry != nullptr; ++entry) {
    if (text_starts(*entry, name) && (*entry)[length] == '=') return *entry + length + 1;
  }
  return nullptr;
}

Message::Message() {
  *this << "omen: ";
}

Message::~Message() {
  *this << "\n";
  system_call(__NR_write, 2, reinterpret_cast<long>(text_), static_cast<long>(used_));
}

Message& Message::operator<<(const char* text) {
  while (*text != 0 && used_ < sizeof text_) text_[used_++] = *text++;
  return *this;
}

Message& Message::operator<<(u64 number) {
  char digits[24];
  std::size_t n = sizeof digits;
  digits[--n] = 0;
  do {
    digits[--n] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return *this << (digits + n);
}

}  // namespace omen::rt
