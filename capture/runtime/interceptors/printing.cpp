/// \file
/// `printf` and its family. The format and the texts in its arguments are read before the call; the output in memory,
/// and the counts of `%n`, are written after it. The variants with `...` are derived from those with `va_list`.
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;
using omen::formats::Printed;

namespace {

enum class Into : u8 {
  Elsewhere,  ///< a stream, a descriptor, a log: unmodelled state
  Memory,     ///< memory of the caller. The call also reads the locale; a section that changes that is opaque
};

/// The accesses of the format and its arguments. The caller of this reports the output buffer.
template <Into into = Into::Elsewhere, class Char, class Call>
int print(const Char* format, va_list list, uptr pc, Call call) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || format == nullptr) return call();
  reads(format, omen::formats::text_bytes(format, omen::formats::kUnlimited), pc);
  const Printed<Char> arguments(format, list);
  arguments.for_each_text([&](const void* text, std::size_t bytes) { reads(text, bytes, pc); });
  if constexpr (into == Into::Elsewhere) reach_hidden_state(pc);
  int result = 0;
  {
    const InLibrary library(thread);
    result = call();
  }
  if (result >= 0) arguments.for_each_count([&](void* count, std::size_t bytes) { writes(count, bytes, pc); });
  return result;
}

/// What `snprintf` and similar functions write: the text and its terminator, but not more than the buffer's size.
std::size_t printed_bytes(int result, std::size_t room) {
  if (result < 0) return 0;
  const std::size_t all = static_cast<std::size_t>(result) + 1;
  return all < room ? all : room;
}
constexpr std::size_t kAnyRoom = ~std::size_t{0};

}  // namespace

/// A function with `va_list`, and its variant with `...`. `after` may use `result`, the return value.
#define OMEN_PRINTS(into, name, variadic, character, parameters, arguments, after)                     \
  OMEN_INTERCEPT(int, name, (OMEN_UNPACK parameters, const character* format, va_list list)) {         \
    const uptr pc = OMEN_CALLER;                                                                       \
    const int result = print<Into::into>(format, list, pc, [&] { return OMEN_REAL(name) arguments; }); \
    after;                                                                                             \
    return result;                                                                                     \
  }                                                                                                    \
  OMEN_INTERCEPT(int, variadic, (OMEN_UNPACK parameters, const character* format, ...)) {              \
    const uptr pc = OMEN_CALLER;                                                                       \
    va_list list;                                                                                      \
    va_start(list, format);                                                                            \
    const int result = print<Into::into>(format, list, pc, [&] { return OMEN_REAL(name) arguments; }); \
    va_end(list);                                                                                      \
    after;                                                                                             \
    return result;                                                                                     \
  }
#define OMEN_UNPACK(...) __VA_ARGS__

#define OMEN_INTO_TEXT(room) writes(to, printed_bytes(result, room), pc)
#define OMEN_INTO_WIDE(room) writes(to, printed_bytes(result, room) * sizeof(wchar_t), pc)
#define OMEN_INTO_BLOCK                               \
  if (result >= 0) {                                  \
    writes(to, sizeof *to, pc);                       \
    writes(*to, printed_bytes(result, kAnyRoom), pc); \
  }

// clang-format off
OMEN_PRINTS(Elsewhere, vfprintf, fprintf, char, (void* file), (file, format, list), )
OMEN_PRINTS(Elsewhere, vdprintf, dprintf, char, (int file), (file, format, list), )
OMEN_PRINTS(Memory, vsprintf, sprintf, char, (char* to), (to, format, list), OMEN_INTO_TEXT(kAnyRoom))
OMEN_PRINTS(Memory, vsnprintf, snprintf, char, (char* to, std::size_t room), (to, room, format, list), OMEN_INTO_TEXT(room))
OMEN_PRINTS(Memory, vasprintf, asprintf, char, (char** to), (to, format, list), OMEN_INTO_BLOCK)
OMEN_PRINTS(Elsewhere, vfwprintf, fwprintf, wchar_t, (void* file), (file, format, list), )
OMEN_PRINTS(Memory, vswprintf, swprintf, wchar_t, (wchar_t* to, std::size_t room), (to, room, format, list), OMEN_INTO_WIDE(room))

// The functions that programs call when compiled with _FORTIFY_SOURCE.
OMEN_PRINTS(Elsewhere, __vprintf_chk, __printf_chk, char, (int flag), (flag, format, list), )
OMEN_PRINTS(Elsewhere, __vfprintf_chk, __fprintf_chk, char, (void* file, int flag), (file, flag, format, list), )
OMEN_PRINTS(Elsewhere, __vdprintf_chk, __dprintf_chk, char, (int file, int flag), (file, flag, format, list), )
OMEN_PRINTS(Memory, __vsprintf_chk, __sprintf_chk, char, (char* to, int flag, std::size_t size), (to, flag, size, format, list), OMEN_INTO_TEXT(kAnyRoom))
OMEN_PRINTS(Memory, __vsnprintf_chk, __snprintf_chk, char, (char* to, std::size_t room, int flag, std::size_t size), (to, room, flag, size, format, list), OMEN_INTO_TEXT(room))
OMEN_PRINTS(Memory, __vasprintf_chk, __asprintf_chk, char, (char** to, int flag), (to, flag, format, list), OMEN_INTO_BLOCK)
OMEN_PRINTS(Elsewhere, __vwprintf_chk, __wprintf_chk, wchar_t, (int flag), (flag, format, list), )
OMEN_PRINTS(Elsewhere, __vfwprintf_chk, __fwprintf_chk, wchar_t, (void* file, int flag), (file, flag, format, list), )
OMEN_PRINTS(Memory, __vswprintf_chk, __swprintf_chk, wchar_t, (wchar_t* to, std::size_t room, int flag, std::size_t size), (to, room, flag, size, format, list), OMEN_INTO_WIDE(room))
// clang-format on

// Functions whose first argument is the format.
#define OMEN_PRINTS_PLAINLY(name, variadic, character)                                                  \
  OMEN_INTERCEPT(int, name, (const character* format, va_list list)) {                                  \
    return print(format, list, OMEN_CALLER, [&] { return OMEN_REAL(name)(format, list); });             \
  }                                                                                                     \
  OMEN_INTERCEPT(int, variadic, (const character* format, ...)) {                                       \
    va_list list;                                                                                       \
    va_start(list, format);                                                                             \
    const int result = print(format, list, OMEN_CALLER, [&] { return OMEN_REAL(name)(format, list); }); \
    va_end(list);                                                                                       \
    return result;                                                                                      \
  }
OMEN_PRINTS_PLAINLY(vprintf, printf, char)
OMEN_PRINTS_PLAINLY(vwprintf, wprintf, wchar_t)

// Functions that return nothing.
#define OMEN_LOGS(name, variadic, parameters, arguments)                                   \
  OMEN_INTERCEPT(void, name, (OMEN_UNPACK parameters, const char* format, va_list list)) { \
    print(format, list, OMEN_CALLER, [&] { return OMEN_REAL(name) arguments, -1; });       \
  }                                                                                        \
  OMEN_INTERCEPT(void, variadic, (OMEN_UNPACK parameters, const char* format, ...)) {      \
    va_list list;                                                                          \
    va_start(list, format);                                                                \
    print(format, list, OMEN_CALLER, [&] { return OMEN_REAL(name) arguments, -1; });       \
    va_end(list);                                                                          \
  }
OMEN_LOGS(vsyslog, syslog, (int priority), (priority, format, list))
OMEN_LOGS(__vsyslog_chk, __syslog_chk, (int priority, int flag), (priority, flag, format, list))
