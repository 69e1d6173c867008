/// \file
/// The functions and variables of a module's ELF symbol table, by address.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace omen::symbolize {

struct Symbol {
  std::uint64_t address = 0;  ///< the file's own
  std::uint64_t size = 0;
  std::string name;  ///< as in the table, mangled
  bool weak = false;
};

class SymbolTable {
 public:
  SymbolTable() = default;
  /// Uses the full table if there is one, also from a separate debug file, else the dynamic one. `bias` is what libdwfl
  /// adds to the file's own addresses.
  SymbolTable(Dwfl_Module* module, std::uint64_t bias);

  /// Null if no symbol covers the address.
  const Symbol* function_at(std::uint64_t address) const { return find(functions_, address); }
  const Symbol* object_at(std::uint64_t address) const { return find(objects_, address); }

 private:
  static void sort(std::vector<Symbol>& symbols);
  static const Symbol* find(const std::vector<Symbol>& symbols, std::uint64_t address);

  std::vector<Symbol> functions_;  ///< by address; among those at one address the best is last
  std::vector<Symbol> objects_;
};

}  // namespace omen::symbolize
