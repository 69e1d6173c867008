/// \file
/// Which functions of the C++ library use the stream that is their first argument. What a stream keeps is hidden state,
/// but two threads that use one stream without order race, and only the calls show it: each counts as a write to the
/// stream object.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

bool uses_stream(const char* name);
/// `std::ios_base::sync_with_stdio`.
bool sets_synchronisation(const char* name);
void synchronise_standard_streams(bool are);
/// `std::cout` and its like, which threads may use at the same time as long as they are synchronised with the C
/// library's.
bool is_shared_stream(uptr stream);

}  // namespace omen::rt
