#include "symbolize/instrumented.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <memory>
#include <string_view>

namespace omen::symbolize {
namespace {

struct End {
  void operator()(Elf* elf) const { elf_end(elf); }
};

/// Every instrumented object file calls this function.
constexpr std::string_view kCalledByAll = "__tsan_init";

bool names_runtime(Elf* elf) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
    if (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 1; data != nullptr && i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr) break;
      const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name != nullptr && kCalledByAll == name) return true;
    }
  }
  return false;
}

bool names_section(Elf* elf, std::string_view wanted) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && wanted == name) return true;
  }
  return false;
}

/// Applies `question` to the file; returns `otherwise` for a file that is not ELF, or cannot be read.
template <class Question>
bool ask(const std::string& path, bool otherwise, Question question) {
  elf_version(EV_CURRENT);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return otherwise;
  const std::unique_ptr<Elf, End> elf(elf_begin(file, ELF_C_READ, nullptr));
  const bool known = elf != nullptr && elf_kind(elf.get()) == ELF_K_ELF;
  const bool result = known ? question(elf.get()) : otherwise;
  close(file);
  return result;
}

}  // namespace

bool is_instrumented(const std::string& path) {
  return ask(path, true, names_runtime);
}

bool has_section(const std::string& path, std::string_view name) {
  return ask(path, false, [&](Elf* elf) { return names_section(elf, name); });
}

}  // namespace omen::symbolize
