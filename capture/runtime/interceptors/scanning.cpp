/// \file
/// `scanf` and its family. The format, and a text that is scanned, are read before the call; the stored values are
/// written after it.
#include <stdarg.h>
#include <wchar.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;
using omen::formats::Scanned;

namespace {

template <class Char, class Call>
int scan(const Char* format, va_list list, bool gnu, uptr pc, Call call) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || format == nullptr) return call();
  reads(format, omen::formats::text_bytes(format, omen::formats::kUnlimited), pc);
  const Scanned<Char> targets(format, list, gnu);
  reach_hidden_state(pc);
  int result = 0;
  {
    const InLibrary library(thread);
    result = call();
  }
  targets.for_each_written(result, [&](void* memory, std::size_t bytes) { writes(memory, bytes, pc); });
  return result;
}

}  // namespace

/// `source`: the scanned input, with its comma; `gnu`: whether `%as` allocates.
#define OMEN_SCANS(name, variadic, character, gnu, parameters, arguments, before)              \
  OMEN_INTERCEPT(int, name, (OMEN_UNPACK parameters const character* format, va_list list)) {  \
    const uptr pc = OMEN_CALLER;                                                               \
    before;                                                                                    \
    return scan(format, list, gnu, pc, [&] { return OMEN_REAL(name) arguments; });             \
  }                                                                                            \
  OMEN_INTERCEPT(int, variadic, (OMEN_UNPACK parameters const character* format, ...)) {       \
    const uptr pc = OMEN_CALLER;                                                               \
    before;                                                                                    \
    va_list list;                                                                              \
    va_start(list, format);                                                                    \
    const int result = scan(format, list, gnu, pc, [&] { return OMEN_REAL(name) arguments; }); \
    va_end(list);                                                                              \
    return result;                                                                             \
  }
#define OMEN_UNPACK(...) __VA_ARGS__

// clang-format off
OMEN_SCANS(vscanf, scanf, char, true, (), (format, list), )
OMEN_SCANS(vfscanf, fscanf, char, true, (void* file,), (file, format, list), )
OMEN_SCANS(vsscanf, sscanf, char, true, (const char* text,), (text, format, list), TEXT(text))
OMEN_SCANS(vwscanf, wscanf, wchar_t, true, (), (format, list), )
OMEN_SCANS(vfwscanf, fwscanf, wchar_t, true, (void* file,), (file, format, list), )
OMEN_SCANS(vswscanf, swscanf, wchar_t, true, (const wchar_t* text,), (text, format, list), WIDE(text))
OMEN_SCANS(__isoc99_vscanf, __isoc99_scanf, char, false, (), (format, list), )
OMEN_SCANS(__isoc99_vfscanf, __isoc99_fscanf, char, false, (void* file,), (file, format, list), )
OMEN_SCANS(__isoc99_vsscanf, __isoc99_sscanf, char, false, (const char* text,), (text, format, list), TEXT(text))
OMEN_SCANS(__isoc99_vwscanf, __isoc99_wscanf, wchar_t, false, (), (format, list), )
OMEN_SCANS(__isoc99_vfwscanf, __isoc99_fwscanf, wchar_t, false, (void* file,), (file, format, list), )
OMEN_SCANS(__isoc99_vswscanf, __isoc99_swscanf, wchar_t, false, (const wchar_t* text,), (text, format, list), WIDE(text))
// clang-format on
