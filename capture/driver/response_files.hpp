/// \file
/// `@FILE` arguments. They are read as GCC reads them, because the driver has to see every option; what is then too
/// long for a command line goes to the compiler as a response file again.
#pragma once

#include <string>
#include <vector>

namespace omen::driver {

/// The arguments with every readable `@FILE` replaced by the words of that file, nested ones too. An `@FILE` that
/// cannot be read stays as it is: the compiler takes it for a name, or complains.
std::vector<std::string> with_response_files(const std::vector<std::string>& arguments);

/// Whether the words are too long for a command line.
bool too_long(const std::vector<std::string>& arguments);

/// One `@FILE` argument that stands for these words. The file has no name and goes away with the process that reads it.
/// Empty if the system has no such files.
std::string as_response_file(const std::vector<std::string>& arguments);

}  // namespace omen::driver
