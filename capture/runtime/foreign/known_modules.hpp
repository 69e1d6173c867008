/// \file
/// Which modules of the process are instrumented. A module is, if it calls `__tsan_init`: GCC and clang have every
/// instrumented object do so. The module that the runtime is part of always is: the program, if it was linked by
/// omen-cc.
#pragma once

#include <elf.h>
#include <link.h>

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/foreign/incomplete_modules.hpp"

namespace omen::rt {

enum class Origin : u8 {
  Instrumented,  ///< its calls to others go through stubs
  Unknown,       ///< instrumented, but its calls cannot be redirected, or accesses are missing
  Library,       ///< the C and the C++ library
  Foreign,
};
/// A loaded module, as far as this folder needs it. The pointers refer to the module's memory.
struct LoadedModule {
  static constexpr u32 kCodes = 8;
  struct Range {
    uptr begin = 0;
    uptr end = 0;
    bool has(uptr address) const { return address - begin < end - begin; }
  };
  const char* name = nullptr;  ///< empty for the program itself
  uptr bias = 0;
  Range whole;
  Range code[kCodes];
  u32 codes = 0;
  bool unreadable = false;  ///< has execute-only code
  bool fresh = false;       ///< set by the scan: the module was not known before
  Range relro;              ///< written by the loader, read-only afterwards
  const ElfW(Dyn) * dynamic = nullptr;

  bool has_code(uptr address) const {
    for (u32 i = 0; i < codes; ++i) {
      if (code[i].has(address)) return true;
    }
    return false;
  }
};

/// The program's own instrumented code, where most sections begin, without statically linked uninstrumented code. Empty
/// if control may leave it unseen. Written before there are other threads.
extern LoadedModule::Range program_code;

OMEN_INLINE bool is_program_code(uptr place) {
  return program_code.has(place) && !has_incomplete_modules();
}

Origin search_origin(uptr place);
/// The origin of a code location. 0, which is no location, counts as instrumented. Generated code is foreign.
inline Origin origin_of(uptr place) {
  return OMEN_LIKELY(is_program_code(place)) ? Origin::Instrumented : search_origin(place);
}

/// Reads the loader's description of a module. False: the module must be ignored.
bool describe_module(const dl_phdr_info& info, LoadedModule& module);

class KnownModules {
 public:
  static constexpr u32 kMost = 1024;

  enum class State : u8 { Gone, Instrumented, Unknown, Library, Foreign };

  /// True if a module that begins at this address is known; marks it as still loaded.
  bool is_known(const LoadedModule& module);
  /// False: the table is full. The module then counts as foreign.
  bool add(const LoadedModule& module, State state);
  void set(uptr begin, State state);
  State state_at(uptr address) const;

  /// Between begin and end of a round `is_known` or `add` is called for every loaded module. The others are removed.
  void begin_round() { ++round_; }
  void end_round();

 private:
  struct Entry {
    std::atomic<uptr> begin{0};
    std::atomic<uptr> end{0};
    std::atomic<State> state{State::Gone};
    u32 round = 0;
  };
  Entry entries_[kMost];
  std::atomic<u32> count_{0};
  u32 round_ = 0;
};

}  // namespace omen::rt
