/// \file
/// Code addresses the entries of its linkage table relative to itself: `call *entry(%rip)` and `jmp *entry(%rip)` only
/// call; any other instruction that loads an entry may use it as data. A comparison with a constant tests whether a
/// weak function exists.
#include "capture/runtime/foreign/call_sites.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/runtime/base/code.hpp"

namespace omen::rt {
namespace {

constexpr uptr kPage = 4096;

enum class Use : u8 { Other, Call, Data };

/// `at` is the address of the displacement of the entry.
Use use_at(uptr at) {
  const u8 opcode = *reinterpret_cast<const u8*>(at - 2);
  const u8 operands = *reinterpret_cast<const u8*>(at - 1);
  if (opcode == 0xff && (operands == 0x15 || operands == 0x25)) return Use::Call;
  return (operands & 0xc7) == 0x05 ? Use::Data : Use::Other;
}

/// Calls `take(at, slot)` for everything in the code that may be the displacement of one of the entries.
template <class SlotType, class Take>
void for_each_reference(const LoadedModule& module, SlotType* slots, u32 count, Take take) {
  uptr lowest = ~uptr{0};
  uptr highest = 0;
  for (u32 i = 0; i < count; ++i) {
    const uptr entry = reinterpret_cast<uptr>(slots[i].entry);
    if (entry < lowest) lowest = entry;
    if (entry > highest) highest = entry;
  }
  for (u32 i = 0; i < module.codes; ++i) {
    const auto& code = module.code[i];
    for (uptr at = code.begin + 2; at + 4 <= code.end; ++at) {
      int distance = 0;
      __builtin_memcpy(&distance, reinterpret_cast<const void*>(at), 4);
      const uptr entry = at + 4 + static_cast<uptr>(static_cast<std::ptrdiff_t>(distance));
      if (OMEN_LIKELY(entry - lowest > highest - lowest)) continue;
      for (u32 j = 0; j < count; ++j) {
        if (reinterpret_cast<uptr>(slots[j].entry) == entry) take(at, slots[j]);
      }
    }
  }
}

/// Allocates linkage entries of our own, in reach of the whole module; null: no address range is free.
uptr* entries_near(const LoadedModule& module, u32 count) {
  constexpr uptr kReach = uptr{1} << 31;
  const uptr bytes = (count * sizeof(uptr) + kPage - 1) & ~(kPage - 1);
  const uptr after = (module.whole.end + kPage - 1) & ~(kPage - 1);
  for (uptr distance = 0; after + distance + bytes - module.whole.begin < kReach; distance += uptr{16} << 20) {
    const long made = system_call(__NR_mmap, static_cast<long>(after + distance), static_cast<long>(bytes),
                                  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == static_cast<long>(after + distance)) return reinterpret_cast<uptr*>(made);
    if (made > 0) unmap_memory(reinterpret_cast<void*>(made), bytes);  // an old kernel treats the address as a hint
  }
  return nullptr;
}

}  // namespace

void find_uses(const LoadedModule& module, Slot* slots, u32 count) {
  for_each_reference(module, slots, count, [](uptr at, Slot& slot) {
    const Use use = use_at(at);
    slot.called |= use == Use::Call;
    slot.is_data |= use == Use::Data;
  });
}

bool divert_call_sites(const LoadedModule& module, const Slot* slots, u32 count) {
  uptr* const entries = entries_near(module, count);
  if (entries == nullptr) return false;
  for (u32 i = 0; i < count; ++i) entries[i] = slots[i].value;
  bool done = true;
  for_each_reference(module, slots, count, [&](uptr at, const Slot& slot) {
    if (use_at(at) != Use::Call) return;
    const uptr entry = reinterpret_cast<uptr>(entries + (&slot - slots));
    const int distance = static_cast<int>(entry - (at + 4));
    if (!replace_code(at, &distance, sizeof distance)) done = false;
  });
  return done;
}

}  // namespace omen::rt
