/// \file
/// Walks `DT_JMPREL` and `DT_RELA`. An entry that serves calls only is redirected to a stub. An entry whose address is
/// also used as data stays unchanged, and the calls through it are redirected instead (call_sites.hpp): a function must
/// compare equal to itself wherever the program got its address.
///
/// An entry that is not bound yet must be bound here, as the loader would do it: otherwise the loader would overwrite
/// the stub at the first call.
#include "capture/runtime/foreign/linkage.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/runtime/base/real_function.hpp"
#include "capture/runtime/foreign/call_sites.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/foreign/known_functions.hpp"
#include "capture/runtime/foreign/string_calls.hpp"
#include "capture/runtime/foreign/stubs.hpp"

namespace omen::rt {
namespace {

constexpr uptr kPage = 4096;

bool protect(LoadedModule::Range range, int how) {
  return system_call(__NR_mprotect, static_cast<long>(range.begin), static_cast<long>(range.end - range.begin), how) ==
         0;
}

/// A path without its folders.
const char* file_of(const char* path) {
  const char* name = path;
  for (const char* c = path; *c != 0; ++c) {
    if (*c == '/') name = c + 1;
  }
  return name;
}

}  // namespace

Linkage::Linkage(const LoadedModule& module) : module_(module) {
  // glibc has relocated most of these pointers; other loaders leave them as they are in the file.
  const auto at = [&](uptr value) { return module.whole.has(value) ? value : module.bias + value; };
  uptr call_bytes = 0;
  uptr other_bytes = 0;
  for (const ElfW(Dyn)* entry = module.dynamic; entry->d_tag != DT_NULL; ++entry) {
    const uptr value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(at(value));
        break;
      case DT_STRTAB:
        texts_ = reinterpret_cast<const char*>(at(value));
        break;
      case DT_JMPREL:
        calls_ = reinterpret_cast<const ElfW(Rela)*>(at(value));
        break;
      case DT_PLTRELSZ:
        call_bytes = value;
        break;
      case DT_RELA:
        others_ = reinterpret_cast<const ElfW(Rela)*>(at(value));
        break;
      case DT_RELASZ:
        other_bytes = value;
        break;
      case DT_VERSYM:
        versions_ = reinterpret_cast<const ElfW(Half)*>(at(value));
        break;
      case DT_VERNEED:
        needed_ = reinterpret_cast<const ElfW(Verneed)*>(at(value));
        break;
      default:
        break;
    }
  }
  if (calls_ != nullptr) call_count_ = call_bytes / sizeof(ElfW(Rela));
  if (others_ != nullptr) other_count_ = other_bytes / sizeof(ElfW(Rela));
}

const char* Linkage::name_of(const ElfW(Rela) & entry) const {
  return texts_ + symbols_[ELF64_R_SYM(entry.r_info)].st_name;
}

/// Calls `take(entry, is_call)` for every entry that may hold a function's address.
template <class Take>
void Linkage::for_each_entry(Take take) const {
  if (symbols_ == nullptr || texts_ == nullptr) return;
  const auto each = [&](const ElfW(Rela) * entries, uptr count, u32 type) {
    for (uptr i = 0; i < count; ++i) {
      if (ELF64_R_TYPE(entries[i].r_info) == type && ELF64_R_SYM(entries[i].r_info) != 0) {
        take(entries[i], type == R_X86_64_JUMP_SLOT);
      }
    }
  };
  each(calls_, call_count_, R_X86_64_JUMP_SLOT);
  each(others_, other_count_, R_X86_64_GLOB_DAT);
}

bool Linkage::uses(const char* name) const {
  bool found = false;
  for_each_entry([&](const ElfW(Rela) & entry, bool) { found = found || text_equal(name_of(entry), name); });
  return found;
}

const char* Linkage::version_of(u32 symbol) const {
  if (versions_ == nullptr || needed_ == nullptr) return nullptr;
  const u32 wanted = versions_[symbol] & 0x7fffU;
  if (wanted < 2) return nullptr;
  for (const auto* file = needed_;;) {
    const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<uptr>(file) + file->vn_aux);
    for (u32 i = 0; i < file->vn_cnt; ++i) {
      if ((version->vna_other & 0x7fffU) == wanted) return texts_ + version->vna_name;
      version = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<uptr>(version) + version->vna_next);
    }
    if (file->vn_next == 0) return nullptr;
    file = reinterpret_cast<const ElfW(Verneed)*>(reinterpret_cast<uptr>(file) + file->vn_next);
  }
}

/// What the loader would bind the entry to: the global scope comes before the module's own, unless `deep`.
uptr Linkage::resolve(u32 symbol, const char* name, bool deep) const {
  const char* const version = version_of(symbol);
  const auto look = [&](void* where) {
    return reinterpret_cast<uptr>(version == nullptr ? dlsym(where, name) : dlvsym(where, name, version));
  };
  const uptr global = deep ? 0 : look(RTLD_DEFAULT);
  if (global != 0 || module_.name[0] == 0) return global;
  // Not called by name, which would reach the runtime's own interceptors.
  static Real<void*(const char*, int)> open{"dlopen", nullptr};
  static Real<int(void*)> close{"dlclose", nullptr};
  void* const handle = open.get()(module_.name, RTLD_LAZY | RTLD_NOLOAD);
  uptr found = 0;
  if (handle != nullptr) {
    found = look(handle);
    close.get()(handle);
  }
  return found == 0 && deep ? look(RTLD_DEFAULT) : found;
}

bool Linkage::write(const Slot* slots, u32 count) const {
  // The range that the loader has protected.
  const LoadedModule::Range relro{module_.relro.begin & ~(kPage - 1), module_.relro.end & ~(kPage - 1)};
  bool open = false;
  for (u32 i = 0; i < count; ++i) {
    if (!open && relro.has(reinterpret_cast<uptr>(slots[i].entry))) {
      if (!protect(relro, PROT_READ | PROT_WRITE)) return false;
      open = true;
    }
  }
  for (u32 i = 0; i < count; ++i) __atomic_store_n(slots[i].entry, slots[i].value, __ATOMIC_RELEASE);
  if (open) protect(relro, PROT_READ);
  return true;
}

Linkage::Outcome Linkage::divert(const LoadedModules& all, const KnownModules& known, bool deep) {
  if (symbols_ == nullptr || texts_ == nullptr) return Outcome::NoSymbols;
  if (module_.unreadable) return Outcome::Unreadable;
  u32 most = 0;
  for_each_entry([&](const ElfW(Rela)&, bool) { ++most; });
  if (most == 0) return Outcome::Done;
  auto* const slots = static_cast<Slot*>(map_memory(most * sizeof(Slot)));
  if (slots == nullptr) return Outcome::NoStubs;
  Outcome outcome = Outcome::Done;
  u32 calls = 0;   // filled from the front
  u32 others = 0;  // filled from the back
  for_each_entry([&](const ElfW(Rela) & entry, bool is_call) {
    const char* const name = name_of(entry);
    const KnownFunction function = known_function(name);
    if (function.kind == KnownFunction::Kind::Harmless) return;
    auto* const slot = reinterpret_cast<uptr*>(module_.bias + entry.r_offset);
    uptr target = *slot;
    if (is_call && module_.whole.has(target)) {
      target = resolve(static_cast<u32>(ELF64_R_SYM(entry.r_info)), name, deep);
    }
    const LoadedModule* const owner = all.with_code(target);
    if (owner == nullptr) return;
    const auto state = known.state_at(target);
    if (state == KnownModules::State::Instrumented || state == KnownModules::State::Unknown) return;
    if (function.library != nullptr && !text_starts(file_of(owner->name), function.library)) return;
    uptr value = 0;
    if (function.kind == KnownFunction::Kind::Replaced) {
      value = function.replacement;
      if (function.original != nullptr) function.original->store(target, std::memory_order_relaxed);
    } else {
      value = string_call(name, target);
      if (value == 0) value = stub_to(target);
    }
    if (value == 0) {
      outcome = Outcome::NoStubs;
      return;
    }
    slots[is_call ? calls++ : most - ++others] = {slot, value, is_call, false};
  });
  Slot* const first_other = slots + (most - others);
  u32 both = 0;  // moved to the beginning of `others`
  if (others > 0) {
    find_uses(module_, first_other, others);
    for (u32 i = 0; i < others; ++i) {
      const Slot slot = first_other[i];
      if (slot.is_data || !slot.called) hidden_state_counters.escaping.fetch_add(1, std::memory_order_relaxed);
      if (slot.called && slot.is_data) {
        first_other[both++] = slot;
      } else if (slot.called) {
        slots[calls++] = slot;
      }
    }
  }
  if (both > 0 && !divert_call_sites(module_, first_other, both)) outcome = Outcome::Protected;
  if (write(slots, calls)) {
    hidden_state_counters.slots.fetch_add(calls, std::memory_order_relaxed);
  } else {
    outcome = Outcome::Protected;
  }
  unmap_memory(slots, most * sizeof(Slot));
  return outcome;
}

}  // namespace omen::rt
