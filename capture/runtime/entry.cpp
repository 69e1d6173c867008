/// \file
/// The point at which the loader enters the runtime: before the constructors of every other module. In a program the
/// entry is in `.preinit_array`, which only an executable may have. As a shared library (OMEN_SHARED_RUNTIME: loaded by
/// LD_PRELOAD into a program without instrumentation, for its instrumented libraries) the runtime is the one module
/// that is linked with `-z initfirst`.
///
/// Departure: a preloaded runtime does nothing in a program that has its own, because the program's comes first in
/// every symbol lookup and so gets every call.
#include <dlfcn.h>

#include "capture/abi/version.hpp"
#include "capture/runtime/base/real_function.hpp"
#include "capture/runtime/dispatch/process_description.hpp"
#include "capture/runtime/foreign/c_library.hpp"
#include "capture/runtime/interceptors/process_hooks.hpp"
#include "capture/runtime/start.hpp"

#ifdef OMEN_SHARED_RUNTIME
#define OMEN_ENTRY_SECTION ".init_array.00000"  // before the runtime's own constructors
#else
#define OMEN_ENTRY_SECTION ".preinit_array"
#endif

extern "C" void omen_version() asm(OMEN_ABI_VERSION_SYMBOL);

namespace {

#ifdef OMEN_SHARED_RUNTIME
/// RTLD_DEFAULT does not work here: a library that is linked with -Bsymbolic is the first in its own scope.
bool program_has_its_own() {
  void* const program = dlopen(nullptr, RTLD_LAZY);
  return dlsym(program, OMEN_ABI_VERSION_SYMBOL) != reinterpret_cast<void*>(&omen_version);
}
#endif

void enter(int, char** argv, char** envp) {
  omen::rt::process_arguments = argv;
  omen::rt::set_environment(envp);
  omen::rt::find_heap_functions();
#ifdef OMEN_SHARED_RUNTIME
  // The original functions are looked up on first use: the program's runtime, which starts later, calls this one's
  // interceptors as its originals.
  if (program_has_its_own()) return omen::rt::leave_to_another_runtime();
#endif
  omen::rt::find_real_functions();
  omen::rt::find_c_library();
  omen::rt::start_runtime();
}

}  // namespace

__attribute__((section(OMEN_ENTRY_SECTION), used)) const omen::rt::Entry omen::rt::loader_entry = enter;
