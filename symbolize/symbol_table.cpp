#include "symbolize/symbol_table.hpp"

#include <algorithm>
#include <tuple>

namespace omen::symbolize {
namespace {

/// A symbol may lie within another one (a label in assembly code, a member's alias): how many are examined.
constexpr int kEnclosing = 16;
/// Assembly code often omits a symbol's size: it then extends to the next symbol, but no further than this.
constexpr std::uint64_t kUnsized = 4096;

}  // namespace

SymbolTable::SymbolTable(Dwfl_Module* module, std::uint64_t bias) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* name = dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || *name == '\0' || symbol.st_shndx == SHN_UNDEF) continue;
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    const bool weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK;
    if (type == STT_FUNC || type == STT_GNU_IFUNC) {
      functions_.push_back({address - bias, symbol.st_size, name, weak});
    } else if (type == STT_OBJECT && symbol.st_size != 0) {
      objects_.push_back({address - bias, symbol.st_size, name, weak});
    }
  }
  sort(functions_);
  sort(objects_);
}

void SymbolTable::sort(std::vector<Symbol>& symbols) {
  // Ranks several symbols at one address: not weak, with a size, without leading underscores, then by name.
  const auto rank = [](const Symbol& s) {
    return std::tuple(s.address, !s.weak, s.size != 0, !s.name.starts_with("_") || s.name.starts_with("_Z"));
  };
  std::ranges::sort(symbols, [&](const Symbol& a, const Symbol& b) {
    const auto left = rank(a);
    const auto right = rank(b);
    return left != right ? left < right : a.name > b.name;
  });
}

const Symbol* SymbolTable::find(const std::vector<Symbol>& symbols, std::uint64_t address) {
  auto after = std::ranges::upper_bound(symbols, address, {}, &Symbol::address);
  for (int tries = 0; after != symbols.begin() && tries < kEnclosing; ++tries) {
    --after;
    const std::uint64_t reach = after->size == 0 && tries == 0 ? kUnsized : after->size;
    if (address - after->address < reach) return &*after;
  }
  return nullptr;
}

}  // namespace omen::symbolize
