/// \file
/// What an address of a program means: a place in its source, or a global variable.
#pragma once

#include <cstdint>
#include <string>

namespace omen::symbolize {

/// One call of a stack. Whatever is not known is empty or 0.
struct Frame {
  std::string function;  ///< demangled
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string module;        ///< path of the program or library; empty: the address is in none
  std::uint64_t offset = 0;  ///< the module's own address of the place; without a module the running program's
  std::string build_id;
  bool inlined = false;  ///< the compiler put it into the next frame's function

  bool has_source() const { return !file.empty(); }
  bool operator==(const Frame&) const = default;
};

struct Global {
  std::string name;  ///< demangled
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string module;
  std::uint64_t offset = 0;  ///< of `address`

  bool operator==(const Global&) const = default;
};

}  // namespace omen::symbolize
