/// \file
/// Adds marks to GCC's assembly of an instrumented translation unit where control leaves instrumented code
/// (docs/capture.md, "Leaving instrumented code"):
///
/// - an indirect call goes through the thunk of its register (capture/runtime/foreign/thunks.cpp), which examines the
///   target;
/// - inline assembly that may touch memory is preceded by a call of __omen_leave;
/// - a function that does not call the runtime, and may touch memory other than its frame and constants, begins with
///   such a call: it was compiled with no_sanitize("thread"), or is assembly.
///
/// Indirect jumps stay unchanged: instrumented functions end with a call, so these are switches and computed gotos.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace omen::driver {

/// A weak hidden symbol that marked objects define, also those that clang's plugin marks (capture/pass/departures.cpp).
inline constexpr std::string_view kMarkedSymbol = "__omen_marked";

/// Nothing if the text is not of an instrumented translation unit.
std::optional<std::string> marked_assembly(std::string_view text);

}  // namespace omen::driver
