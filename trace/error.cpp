#include "trace/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace omen {

void internal_error(const char* file, int line, const std::string& what) {
  std::fprintf(stderr, "omen: internal error (this is a bug in omen): %s\n  at %s:%d\n", what.c_str(), file, line);
  std::fflush(nullptr);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  std::abort();  // a fuzzer keeps the input of a crash, not that of an exit
#endif
  std::_Exit(70);
}

void check_failed(const char* file, int line, const char* condition) {
  internal_error(file, line, std::string("check failed: ") + condition);
}

}  // namespace omen
