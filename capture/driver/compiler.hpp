/// \file
/// The compiler that does the work: OMEN_CC and OMEN_CXX name it, with words before it (ccache, distcc) and after it
/// (options).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "capture/driver/failure.hpp"

namespace omen::driver {

enum class Language { C, Cxx };
enum class Family { Gcc, Clang };

inline constexpr int kOldestGcc = 12;
inline constexpr int kOldestClang = 14;

struct Compiler {
  std::vector<std::string> words;  ///< how it is called: prefixes, the program, options
  size_t program = 0;              ///< index of the program in `words`
  Family family = Family::Gcc;
};

/// OMEN_CC or OMEN_CXX; else the other one's counterpart (clang-19 and clang++-19 belong together); else gcc or g++;
/// else clang. `self` is the driver's own file, which is never taken for the compiler.
std::expected<Compiler, Failure> choose_compiler(Language language, const std::string& self);

/// The one that the arguments begin with, which are then those of that compiler: what a build system calls a launcher
/// with.
std::expected<Compiler, Failure> take_compiler(std::vector<std::string>& arguments, const std::string& self);

/// The compiler's major version. By its name (clang-19, g++-12), or by the file or folder behind it (llvm-19/bin); only
/// if they do not tell, by asking it, which takes as long as compiling a small file. 0: unknown.
int major_version(const Compiler& compiler);

/// The folder of the compiler's own file, by all links; empty if it is not found. clang looks for its linker there
/// first.
std::string folder_of(const Compiler& compiler);

/// Asks the compiler for its version. A Failure if its instrumentation is older than what the runtime implements.
std::expected<void, Failure> check_version(const Compiler& compiler);

}  // namespace omen::driver
