#include "capture/pass/library_functions.hpp"

#include <algorithm>
#include <array>

#include "llvm/ADT/STLExtras.h"

namespace omen::placement {

using namespace llvm;

namespace {

/// In alphabetical order.
constexpr std::array kQuiet = {
    "abs",      "acos",       "acosf",    "acosh",     "acoshf",  "asin",    "asinf",   "asinh",     "asinhf",
    "atan",     "atan2",      "atan2f",   "atanf",     "atanh",   "atanhf",  "atof",    "atoi",      "atol",
    "atoll",    "bcmp",       "bcopy",    "bzero",     "cbrt",    "cbrtf",   "ceil",    "ceilf",     "ceill",
    "copysign", "copysignf",  "cos",      "cosf",      "cosh",    "coshf",   "cosl",    "exp",       "exp10",
    "exp10f",   "exp2",       "exp2f",    "expf",      "expl",    "expm1",   "expm1f",  "fabs",      "fabsf",
    "fabsl",    "ffs",        "ffsl",     "ffsll",     "floor",   "floorf",  "floorl",  "fmax",      "fmaxf",
    "fmin",     "fminf",      "fmod",     "fmodf",     "fmodl",   "frexp",   "frexpf",  "isascii",   "isdigit",
    "labs",     "ldexp",      "ldexpf",   "llabs",     "log",     "log10",   "log10f",  "log1p",     "log1pf",
    "log2",     "log2f",      "logb",     "logbf",     "logf",    "logl",    "memccpy", "memchr",    "memcmp",
    "memcpy",   "memmove",    "mempcpy",  "memrchr",   "memset",  "modf",    "modff",   "nearbyint", "nearbyintf",
    "pow",      "powf",       "powl",     "remainder", "rint",    "rintf",   "round",   "roundf",    "roundl",
    "sin",      "sinf",       "sinh",     "sinhf",     "sinl",    "sqrt",    "sqrtf",   "sqrtl",     "stpcpy",
    "stpncpy",  "strcasecmp", "strcat",   "strchr",    "strcmp",  "strcpy",  "strcspn", "strlen",    "strncasecmp",
    "strncat",  "strncmp",    "strncpy",  "strnlen",   "strpbrk", "strrchr", "strspn",  "strstr",    "strtol",
    "strtoll",  "strtoul",    "strtoull", "tan",       "tanf",    "tanh",    "tanhf",   "tanl",      "toascii",
    "trunc",    "truncf",     "truncl"};
static_assert(std::ranges::is_sorted(kQuiet, {}, [](const char* name) { return std::string_view(name); }));

/// Of characters; LLVM does not know these.
constexpr std::array kOfCharacters = {"isalnum", "isalpha", "isblank", "iscntrl",  "isgraph", "islower", "isprint",
                                      "ispunct", "isspace", "isupper", "isxdigit", "tolower", "toupper"};

bool is_of_characters(const Function& function) {
  return is_contained(kOfCharacters, function.getName()) && function.getReturnType()->isIntegerTy(32) &&
         function.arg_size() == 1 && function.getArg(0)->getType()->isIntegerTy(32);
}

}  // namespace

bool is_quiet_library_function(const Function& function, const TargetLibraryInfo& library) {
  if (!function.isDeclaration() || function.isIntrinsic()) return false;
  if (is_of_characters(function)) return true;
  LibFunc known;
  return library.getLibFunc(function, known) && library.has(known) &&
         std::ranges::binary_search(kQuiet, function.getName(), {}, [](StringRef name) { return name; });
}

bool returns_argument(const Function& function) {
  return function.getReturnType()->isPointerTy() || function.getName().starts_with("strto");
}

}  // namespace omen::placement
