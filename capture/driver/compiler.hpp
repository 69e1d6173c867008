/// \file
/// The real compiler: OMEN_CC and OMEN_CXX name it, with prefixes (ccache, distcc) and options.
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
  std::vector<std::string> words;  ///< the command: prefixes, the program, options
  size_t program = 0;              ///< index of the program in `words`
  Family family = Family::Gcc;
};

/// OMEN_CC or OMEN_CXX; else the counterpart of the other one (clang-19 for clang++-19); else gcc or g++; else clang.
/// `self` is the driver's own file, which is never chosen.
std::expected<Compiler, Failure> choose_compiler(Language language, const std::string& self);

/// The compiler at the beginning of the arguments, which are removed: a build system calls its compiler launcher so.
std::expected<Compiler, Failure> take_compiler(std::vector<std::string>& arguments, const std::string& self);

/// The compiler's major version. Judged by its name (clang-19, g++-12), or by the file or folder that it links to
/// (llvm-19/bin); otherwise the compiler is asked, which takes as long as compiling a small file. 0: unknown.
int major_version(const Compiler& compiler);

/// The folder of the compiler's own file, with links resolved; empty if it is not found. clang looks for its linker
/// there first.
std::string folder_of(const Compiler& compiler);

/// Asks the compiler for its version. A Failure if the runtime does not support its instrumentation.
std::expected<void, Failure> check_version(const Compiler& compiler);

}  // namespace omen::driver
