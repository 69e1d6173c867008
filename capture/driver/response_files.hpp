/// \file
/// `@FILE` arguments. The driver expands them as GCC does, because it has to see every option; a command line that is
/// then too long is passed to the compiler as a response file.
#pragma once

#include <string>
#include <vector>

namespace omen::driver {

/// Replaces every readable `@FILE`, nested ones too, by the words of the file. An unreadable `@FILE` stays: the
/// compiler takes it for a name, or rejects it.
std::vector<std::string> with_response_files(const std::vector<std::string>& arguments);

/// True if the words are too long for a command line.
bool too_long(const std::vector<std::string>& arguments);

/// Writes the words to an unnamed file, which vanishes with its last reader, and returns an `@FILE` argument for it.
/// Empty on failure.
std::string as_response_file(const std::vector<std::string>& arguments);

}  // namespace omen::driver
