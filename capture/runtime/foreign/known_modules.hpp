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
  Instrumented,  ///< control leaves it over a stub
  Unknown,       ///< instrumented, but its calls cannot be led over stubs, or accesses were left out
  Library,       ///< the C and the C++ library
  Foreign,
};
/// A module that is loaded: the parts of it that this is about. What the pointers point to is part of the module.
struct LoadedModule {
  static constexpr u32 kCodes = 8;
  struct Range {
    uptr begin = 0;
    uptr end = 0;
    bool has(uptr address) const { return address - begin < end - begin; }
  };
  const char* name = nullptr;  ///< empty: the program itself
  uptr bias = 0;
  Range whole;
  Range code[kCodes];
  u32 codes = 0;
  bool unreadable = false;  ///< code that can only be executed
  bool fresh = false;       ///< for whoever looks at modules: it was not known before
  Range relro;              ///< written by the loader, read-only from then on
  const ElfW(Dyn) * dynamic = nullptr;

  bool has_code(uptr address) const {
    for (u32 i = 0; i < codes; ++i) {
      if (code[i].has(address)) return true;
    }
    return false;
  }
};

/// The program's own code without what was linked into it and is not instrumented, where most sections begin. Empty if
/// control may leave it unseen. Written before there are threads.
extern LoadedModule::Range program_code;

OMEN_INLINE bool is_program_code(uptr place) {
  return program_code.has(place) && !has_incomplete_modules();
}

Origin search_origin(uptr place);
/// Of a place in the program; 0, which no code stands for, is instrumented. Made up code is foreign.
inline Origin origin_of(uptr place) {
  return OMEN_LIKELY(is_program_code(place)) ? Origin::Instrumented : search_origin(place);
}

/// Of the loader's description. False: it is not to be looked at.
bool describe_module(const dl_phdr_info& info, LoadedModule& module);

class KnownModules {
 public:
  static constexpr u32 kMost = 1024;

  enum class State : u8 { Gone, Instrumented, Unknown, Library, Foreign };

  /// Whether a module that begins there is known; it is there still.
  bool is_known(const LoadedModule& module);
  /// False: there is no room. It counts as foreign.
  bool add(const LoadedModule& module, State state);
  void set(uptr begin, State state);
  State state_at(uptr address) const;

  /// Between the two every module that is loaded is asked for by `is_known`, or added; those that are not are gone.
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
