/// \file
/// Uninstrumented code inside instrumented modules: statically linked objects and archives. It is in the section
/// `.omen.foreign`, which omen-cc creates at link time (capture/driver/foreign_object.hpp).
#pragma once

#include "capture/runtime/foreign/known_modules.hpp"

namespace omen::rt {

/// An instrumented module was loaded; reads its file `path`. Addresses that another module had before stay foreign, so
/// sections may be opaque unnecessarily. False: the module has the section `.note.omen.unknown`, so parts of it do not
/// mark their departures.
bool find_static_code(const char* path, uptr bias);

/// True if the address is in such code. Takes no lock.
bool is_static_code(uptr address);

/// Declares the program's own code, for which `is_static_code` is known. Most targets of indirect calls are there, and
/// thunks.cpp needs no further check for them. The program is never unloaded.
void trust_code(uptr begin, uptr end);
LoadedModule::Range trusted_code();

}  // namespace omen::rt
