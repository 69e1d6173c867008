#include "capture/runtime/foreign/static_code.hpp"

#include <elf.h>
#include <link.h>

#include "capture/runtime/base/mapped_file.hpp"

extern "C" {
/// Addresses in [begin, end) are instrumented (thunks.cpp). Written before there are other threads.
__attribute__((visibility("hidden"), used)) omen::rt::uptr omen_trusted_begin = 0;
__attribute__((visibility("hidden"), used)) omen::rt::uptr omen_trusted_end = 0;
}

namespace omen::rt {
namespace {

/// Ranges are added under the lock, and read without it: a range whose end is 0 is not valid yet.
constexpr u32 kRanges = 256;
std::atomic<uptr> range_begins[kRanges];
std::atomic<uptr> range_ends[kRanges];
std::atomic<u32> range_count{0};
SpinLock range_lock;

void add_range(uptr begin, uptr end) {
  const SpinGuard guard(range_lock);
  const u32 count = range_count.load(std::memory_order_relaxed);
  for (u32 i = 0; i < count; ++i) {
    if (range_begins[i].load(std::memory_order_relaxed) == begin &&
        range_ends[i].load(std::memory_order_relaxed) == end)
      return;
  }
  if (count == kRanges) {  // extend the last range
    const uptr last_begin = range_begins[count - 1].load(std::memory_order_relaxed);
    const uptr last_end = range_ends[count - 1].load(std::memory_order_relaxed);
    range_begins[count - 1].store(begin < last_begin ? begin : last_begin, std::memory_order_relaxed);
    range_ends[count - 1].store(end > last_end ? end : last_end, std::memory_order_relaxed);
    return;
  }
  range_begins[count].store(begin, std::memory_order_relaxed);
  range_ends[count].store(end, std::memory_order_relaxed);
  range_count.store(count + 1, std::memory_order_release);
}

}  // namespace

bool find_static_code(const char* path, uptr bias) {
  const MappedFile file(path);
  const auto* const header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr || header->e_shstrndx >= header->e_shnum) return true;
  const auto* const sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return true;
  const auto& names = sections[header->e_shstrndx];
  const char* const text = file.at<char>(names.sh_offset, names.sh_size);
  if (text == nullptr || names.sh_size == 0 || text[names.sh_size - 1] != 0) return true;
  bool is_known = true;
  for (u32 i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_name >= names.sh_size) continue;
    const char* const name = text + sections[i].sh_name;
    const uptr begin = bias + sections[i].sh_addr;
    if (text_equal(name, ".omen.foreign")) add_range(begin, begin + sections[i].sh_size);
    if (text_equal(name, ".note.omen.unknown")) is_known = false;
  }
  return is_known;
}

bool is_static_code(uptr address) {
  const u32 count = range_count.load(std::memory_order_acquire);
  for (u32 i = 0; i < count; ++i) {
    const uptr begin = range_begins[i].load(std::memory_order_relaxed);
    if (address - begin < range_ends[i].load(std::memory_order_relaxed) - begin) return true;
  }
  return false;
}

void trust_code(uptr begin, uptr end) {
  const u32 count = range_count.load(std::memory_order_acquire);
  for (u32 i = 0; i < count; ++i) {
    const uptr from = range_begins[i].load(std::memory_order_relaxed);
    const uptr to = range_ends[i].load(std::memory_order_relaxed);
    if (to <= begin || end <= from) continue;
    // Keep the larger part of the rest.
    const uptr before = from > begin ? from - begin : 0;
    const uptr behind = end > to ? end - to : 0;
    if (before > behind) {
      end = from;
    } else {
      begin = to;
    }
  }
  if (begin >= end) return;
  omen_trusted_begin = begin;
  omen_trusted_end = end;
}

LoadedModule::Range trusted_code() {
  return {omen_trusted_begin, omen_trusted_end};
}

}  // namespace omen::rt
