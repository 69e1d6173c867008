/// \file
/// The path from a linkage table to an uninstrumented function: `call __omen_leave; jmp *target`. The code of all stubs
/// is part of the runtime, so no page is ever both writable and executable; only their targets are filled in.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The stub of `target`, always the same one; 0: there is none left.
uptr stub_to(uptr target);
bool is_stub(uptr address);
/// True if the code that `__omen_leave` returns to at `place` is a stub that omen-cc linked
/// (capture/driver/foreign_object.cpp).
bool is_linked_stub(uptr place);

/// Called before the first stub is used: determines which registers of the processor may carry arguments.
void prepare_leaving();

}  // namespace omen::rt
