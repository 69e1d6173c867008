/// \file
/// Functions of the C++ library that use the stream that is their first argument. A stream's internal state is hidden,
/// but two threads that use one stream without order race, and only the calls show it: each counts as a write to the
/// stream object.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

bool uses_stream(const char* name);
/// `std::ios_base::sync_with_stdio`.
bool sets_synchronisation(const char* name);
void synchronise_standard_streams(bool are);
/// `std::cout` and the other standard streams, which threads may use concurrently as long as they are synchronised with
/// those of the C library.
bool is_shared_stream(uptr stream);

}  // namespace omen::rt
