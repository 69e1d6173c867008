#include "capture/runtime/foreign/incomplete_modules.hpp"

#include <link.h>

#include <atomic>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt {

constinit std::atomic<bool> incomplete_modules_exist{false};

namespace {

struct Range {
  uptr begin;
  uptr end;
};

constexpr u32 kMost = 256;

/// Writers hold the lock; readers load the count first. Beyond `kMost` entries every address counts as incomplete.
constinit SpinLock appending;
constinit Range ranges[kMost] = {};
constinit std::atomic<u32> count{0};
constinit std::atomic<bool> all{false};

struct Search {
  uptr address;
  Range found;
};

int look_in_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const uptr begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.address - begin >= part.p_memsz) continue;
    search.found = {begin, begin + part.p_memsz};
    return 1;
  }
  return 0;
}

void say_so() {
  if (!recorder.recording() && !detect::detector.on()) return;
  Message()
      << "a part of the program was compiled by a clang that leaves out accesses of local variables whose address "
         "was given away: races of these are missed, and a predicted race may be none (docs/instrumentation.md)";
}

}  // namespace

bool is_in_incomplete_module(uptr pc) {
  if (all.load(std::memory_order_acquire)) return true;
  for (u32 i = 0, known = count.load(std::memory_order_acquire); i < known; ++i) {
    if (pc - ranges[i].begin < ranges[i].end - ranges[i].begin) return true;
  }
  return false;
}

void add_incomplete_module(uptr pc) {
  if (is_in_incomplete_module(pc)) return;
  Search search{pc, {}};
  dl_iterate_phdr(look_in_module, &search);
  appending.lock();
  incomplete_modules_exist.store(true, std::memory_order_release);
  const u32 next = count.load(std::memory_order_relaxed);
  if (search.found.end == 0 || next == kMost) {
    all.store(true, std::memory_order_release);
  } else {
    ranges[next] = search.found;
    count.store(next + 1, std::memory_order_release);
  }
  appending.unlock();
  if (next == 0) say_so();
}

}  // namespace omen::rt
