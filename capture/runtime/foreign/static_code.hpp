/// \file
/// Code without instrumentation inside instrumented modules: objects and archives that were linked statically. It is
/// the section `.omen.foreign`, which omen-cc makes when it links (capture/driver/foreign_object.hpp).
#pragma once

#include "capture/runtime/foreign/known_modules.hpp"

namespace omen::rt {

/// A module that is instrumented was loaded; `path` is its file, which is read. A place that another module had before
/// stays foreign: then sections are opaque that need not be. False: the module has the section `.note.omen.unknown`, so
/// parts of it do not say where control leaves them.
bool find_static_code(const char* path, uptr bias);

/// Whether the address is in such code. Takes no lock.
bool is_static_code(uptr address);

/// The program's own code, of which `is_static_code` is known: most targets of indirect calls are there, and thunks.cpp
/// asks no further. The program stays where it is.
void trust_code(uptr begin, uptr end);
LoadedModule::Range trusted_code();

}  // namespace omen::rt
