/// \file
/// Maps addresses of a program that runs, or has ended, to source positions, using the files of its modules. A module
/// is opened at the first address in it, and every result is cached. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolize/frame.hpp"
#include "trace/capture_info.hpp"

namespace omen::symbolize {

class ModuleFile;

/// A stack consists of return addresses: the call itself precedes each.
enum class Pc : std::uint8_t { ReturnAddress, Exact };

class Symbolizer {
 public:
  explicit Symbolizer(std::vector<Module> modules);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  /// Adds a module that the program has loaded since. Forgets modules that occupied its addresses before.
  void add(Module module);

  /// Innermost first, never empty: functions inlined at the address, then the function itself. If nothing is known, the
  /// single frame has the module and the offset in it, or the address alone.
  std::vector<Frame> frames(std::uint64_t pc, Pc kind = Pc::ReturnAddress);

  /// The variable that covers the address, if the symbol table has one.
  std::optional<Global> global_at(std::uint64_t address);

  /// Problems with the modules used so far: missing, damaged, changed since the run.
  std::vector<std::string> notes() const;

 private:
  struct Loaded {
    Module module;
    std::unique_ptr<ModuleFile> file;  ///< null until needed
  };

  Loaded* covering(std::uint64_t address);
  ModuleFile& file(Loaded& loaded);

  mutable std::mutex mutex_;                                      ///< guards all members below, and libdw
  std::vector<Loaded> modules_;                                   ///< by their first address
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;  ///< by the exact address
};

}  // namespace omen::symbolize
