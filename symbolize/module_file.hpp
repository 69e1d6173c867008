/// \file
/// One opened program or library: its ELF file and its debug information, if libdw finds it. Nothing is fetched from
/// the network. Not thread-safe.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/frame.hpp"
#include "symbolize/symbol_table.hpp"
#include "symbolize/unit_index.hpp"
#include "trace/capture_info.hpp"

namespace omen::symbolize {

class ModuleFile {
 public:
  /// Always succeeds: an unusable file yields no names, and `note` says why.
  explicit ModuleFile(const Module& module);

  /// The frames at one of the file's own addresses, innermost first; only function, source position and `inlined` are
  /// set. Empty if nothing is known.
  std::vector<Frame> frames(std::uint64_t address);

  /// Null if no object covers the address.
  const Symbol* object_at(std::uint64_t address) const { return symbols_.object_at(address); }

  const std::string& build_id() const { return build_id_; }  ///< hexadecimal, of the file
  const std::string& note() const { return note_; }          ///< what is wrong with the file; empty: nothing

 private:
  struct End {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };

  std::unique_ptr<Dwfl, End> session_;
  SymbolTable symbols_;
  std::optional<UnitIndex> units_;
  std::uint64_t to_debug_ = 0;  ///< the offset from the file's own addresses to those of the debug information
  std::string build_id_;
  std::string note_;
};

}  // namespace omen::symbolize
