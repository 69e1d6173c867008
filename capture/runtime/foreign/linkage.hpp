/// \file
/// The linkage tables of a module: the functions of other modules that it calls, and the targets of these calls.
#pragma once

#include "capture/runtime/foreign/call_sites.hpp"
#include "capture/runtime/foreign/known_modules.hpp"

namespace omen::rt {

/// All modules that are loaded now.
struct LoadedModules {
  const LoadedModule* modules;
  u32 count;
  const LoadedModule* with_code(uptr address) const {
    for (u32 i = 0; i < count; ++i) {
      if (modules[i].has_code(address)) return &modules[i];
    }
    return nullptr;
  }
};

class Linkage {
 public:
  explicit Linkage(const LoadedModule& module);

  /// True if an object of the module calls the function.
  bool uses(const char* name) const;

  enum class Outcome : u8 { Done, NoSymbols, NoStubs, Protected, Unreadable };
  /// Redirects calls of functions that may keep state, in uninstrumented modules, to stubs. `deep`: the module was
  /// loaded with RTLD_DEEPBIND.
  Outcome divert(const LoadedModules& all, const KnownModules& known, bool deep);

 private:
  template <class Take>
  void for_each_entry(Take take) const;
  const char* name_of(const ElfW(Rela) & entry) const;
  const char* version_of(u32 symbol) const;
  uptr resolve(u32 symbol, const char* name, bool deep) const;
  bool write(const Slot* slots, u32 count) const;

  const LoadedModule& module_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* texts_ = nullptr;
  const ElfW(Rela) * calls_ = nullptr;
  uptr call_count_ = 0;
  const ElfW(Rela) * others_ = nullptr;
  uptr other_count_ = 0;
  const ElfW(Half) * versions_ = nullptr;
  const ElfW(Verneed) * needed_ = nullptr;
};

}  // namespace omen::rt
