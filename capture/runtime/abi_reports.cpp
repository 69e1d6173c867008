/// \file
/// What debuggers and test frameworks ask ThreadSanitizer for: the parts of a report, and what an address is.
///
/// Races are known when the run is over, so there is never a report to ask about: the functions that take one return 0,
/// and `__tsan_on_report` and `__tsan_on_finalize` of the program are not called. What an address is can be told.
#include <elf.h>
#include <link.h>
#include <pthread.h>

#include "capture/runtime/mapped_file.hpp"
#include "capture/runtime/own_recording.hpp"
#include "capture/runtime/recorder.hpp"

using namespace omen::rt;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))

OMEN_ABI void* __tsan_get_current_report() {
  return nullptr;
}
OMEN_ABI int __tsan_get_report_data(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_tag(void*, uptr*) {
  return 0;
}
OMEN_ABI int __tsan_get_report_stack(void*, uptr, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_mop(void*, uptr, int*, void**, int*, int*, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_loc(void*, uptr, const char**, void**, uptr*, uptr*, int*, int*, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_loc_object_type(void*, uptr, const char**) {
  return 0;
}
OMEN_ABI int __tsan_get_report_mutex(void*, uptr, uptr*, void**, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_thread(void*, uptr, int*, u64*, int*, const char**, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_unique_tid(void*, uptr, int*) {
  return 0;
}

namespace {

struct Region {
  const char* kind = "";  ///< "" if the address is nothing that is known
  uptr begin = 0;
  u64 bytes = 0;
};

bool in_own_stack(uptr address, Region& region) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<uptr>(low);
  if (address < begin || address - begin >= bytes) return false;
  region = {"stack", begin, bytes};
  return true;
}

struct Search {
  uptr address;
  uptr bias = 0;
  const char* path = nullptr;  ///< of the module that holds the address; null: none does
};

int look_in_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.address - (info->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    search.bias = info->dlpi_addr;
    search.path = info->dlpi_name == nullptr || info->dlpi_name[0] == 0 ? "/proc/self/exe" : info->dlpi_name;
    return 1;
  }
  return 0;
}

/// The variable that holds the address, from the module's symbols.
bool find_variable(const Search& search, char* name, uptr room, Region& region) {
  const MappedFile file(search.path);
  const auto* const header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr) return false;
  const auto* const sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  for (u32 i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    const auto& table = sections[i];
    if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || table.sh_link >= header->e_shnum) continue;
    const auto* const symbols = file.at<ElfW(Sym)>(table.sh_offset, table.sh_size / sizeof(ElfW(Sym)));
    const auto& texts = sections[table.sh_link];
    const char* const text = file.at<char>(texts.sh_offset, texts.sh_size);
    if (symbols == nullptr || text == nullptr) continue;
    for (u64 j = 0; j < table.sh_size / sizeof(ElfW(Sym)); ++j) {
      const auto& symbol = symbols[j];
      if ((symbol.st_info & 15) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF || symbol.st_name >= texts.sh_size)
        continue;
      const uptr begin = search.bias + symbol.st_value;
      if (search.address - begin >= symbol.st_size) continue;
      region.begin = begin;
      region.bytes = symbol.st_size;
      for (uptr k = 0; k + 1 < room; ++k) {
        name[k] = text[symbol.st_name + k];
        name[k + 1] = 0;
        if (name[k] == 0) break;
      }
      return true;
    }
  }
  return false;
}

Region region_of(uptr address, char* name, uptr room) {
  Region region;
  const OwnRecording recording;
  if (const auto block = recording.block_at(address); block.bytes != 0) return {"heap", block.begin, block.bytes};
  Search search{address};
  dl_iterate_phdr(look_in_module, &search);
  if (search.path != nullptr) {
    region.kind = "global";
    region.begin = address;
    find_variable(search, name, room, region);
    return region;
  }
  if (in_own_stack(address, region)) return region;
  if (const auto stack = recording.stack_at(address); stack.bytes != 0) return {"stack", stack.begin, stack.bytes};
  return region;
}

}  // namespace

/// "heap", "global" or "stack"; "" where nothing is recorded, or nothing known.
OMEN_ABI const char* __tsan_locate_address(uptr address, char* name, uptr room, uptr* begin, uptr* bytes) {
  if (name != nullptr && room != 0) name[0] = 0;
  Region region;
  if (ThreadState* const thread = recording_thread()) {
    const Busy busy(thread);
    region = region_of(address, name, name == nullptr ? 0 : room);
  }
  if (begin != nullptr) *begin = region.begin;
  if (bytes != nullptr) *bytes = region.bytes;
  return region.kind;
}

/// How many places of the stack that allocated the block were found; 0 if it is no heap block.
OMEN_ABI int __tsan_get_alloc_stack(uptr address, uptr* trace, uptr most, int* thread_id, u64* system_id) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return 0;
  const Busy busy(thread);
  const OwnRecording recording;
  const auto block = recording.block_at(address);
  if (block.bytes == 0) return 0;
  if (thread_id != nullptr) *thread_id = static_cast<int>(block.thread);
  if (system_id != nullptr) *system_id = recording.system_id(block.thread);
  return static_cast<int>(recording.places(block.node, trace, most));
}
