/// \file
/// Symbolized addresses of a program: source positions and global variables.
#pragma once

#include <cstdint>
#include <string>

namespace omen::symbolize {

/// One call of a stack. Unknown members are empty or 0.
struct Frame {
  std::string function;  ///< demangled
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string module;        ///< path of the program or library; empty: the address is in no module
  std::uint64_t offset = 0;  ///< the module's own address; without a module, the address in the running program
  std::string build_id;
  bool inlined = false;  ///< the compiler inlined it into the next frame's function

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
