/// \file
/// Turns addresses of a program that runs, or has ended, into places in its source, from the files of its modules. A
/// module is opened when an address first falls into it, and every answer is kept. May be used from several threads at
/// once.
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

/// A stack is made of return addresses: the call itself is in front of each.
enum class Pc : std::uint8_t { ReturnAddress, Exact };

class Symbolizer {
 public:
  explicit Symbolizer(std::vector<Module> modules);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  /// A module that the program has loaded since. What was known of modules that lay there before is forgotten.
  void add(Module module);

  /// Innermost first, never empty: functions inlined at the place, then the function itself. Where nothing is known
  /// the one frame has the module and the offset in it, or the address alone.
  std::vector<Frame> frames(std::uint64_t pc, Pc kind = Pc::ReturnAddress);

  /// The variable that covers the address, if the symbol table has one.
  std::optional<Global> global_at(std::uint64_t address);

  /// What is wrong with the modules that were asked about: vanished, damaged, changed since the run.
  std::vector<std::string> notes() const;

 private:
  struct Loaded {
    Module module;
    std::unique_ptr<ModuleFile> file;  ///< null until needed
  };

  Loaded* covering(std::uint64_t address);
  ModuleFile& file(Loaded& loaded);

  mutable std::mutex mutex_;                                      ///< guards all below, and libdw
  std::vector<Loaded> modules_;                                   ///< by their first address
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;  ///< by the exact address
};

}  // namespace omen::symbolize
