/// \file
/// GCC's assembly of an instrumented translation unit, with marks where control leaves instrumented code
/// (docs/capture.md, "Leaving instrumented code"):
///
/// - an indirect call goes through the thunk of its register (capture/runtime/foreign/thunks.cpp), which looks at the
/// target;
/// - inline assembly that may touch memory has a call of __omen_leave before it;
/// - a function that calls nothing of the runtime, and may touch memory other than its frame and constants, begins with
///   one: it was compiled with no_sanitize("thread"), or is assembly.
///
/// Indirect jumps stay as they are: instrumented functions end with a call, so these are switches and computed gotos.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace omen::driver {

/// What every object defines that has its marks, also those of clang's plugin (capture/pass/departures.cpp): weak,
/// hidden.
inline constexpr std::string_view kMarkedSymbol = "__omen_marked";

/// Nothing if the text is not that of an instrumented translation unit.
std::optional<std::string> marked_assembly(std::string_view text);

}  // namespace omen::driver
