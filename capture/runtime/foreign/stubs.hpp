/// \file
/// The way from a linkage table to a foreign function: `call __omen_leave; jmp *target`. The code of all stubs is part
/// of the runtime, so nothing is ever both writable and executable; only their targets are filled in.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The stub that leads to `target`, always the same one; 0: there is none left.
uptr stub_to(uptr target);
bool is_stub(uptr address);
/// Whether code that was called back by `__omen_leave` at `place` is a stub that omen-cc linked
/// (capture/driver/foreign_object.cpp).
bool is_linked_stub(uptr place);

/// Before the first stub is used: which registers the processor has that a call may pass something in.
void prepare_leaving();

}  // namespace omen::rt
