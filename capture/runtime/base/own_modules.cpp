#include "capture/runtime/base/own_modules.hpp"

#include <elf.h>
#include <link.h>

#include "capture/runtime/base/mapped_file.hpp"

namespace omen::rt {
namespace {

struct Search {
  uptr address;
  Module found;
};

int look_in_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.address - (info->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    const bool is_program = info->dlpi_name == nullptr || info->dlpi_name[0] == 0;
    search.found = {is_program ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr};
    return 1;
  }
  return 0;
}

}  // namespace

Module module_at(uptr address) {
  Search search{address, {}};
  dl_iterate_phdr(look_in_module, &search);
  return search.found;
}

Variable variable_at(const Module& module, uptr address, char* name, uptr room) {
  const MappedFile file(module.path);
  const auto* const header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr) return {};
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
      const uptr begin = module.bias + symbol.st_value;
      if (address - begin >= symbol.st_size) continue;
      for (uptr k = 0; k + 1 < room; ++k) {
        name[k] = text[symbol.st_name + k];
        name[k + 1] = 0;
        if (name[k] == 0) break;
      }
      return {begin, symbol.st_size};
    }
  }
  return {};
}

}  // namespace omen::rt
