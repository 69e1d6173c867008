/// \file
/// Strings: copies, comparisons, searches and conversions in addition to those of memory_functions.cpp; wide and
/// multibyte ones; and the variants that check the size of their target.
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;
using omen::formats::kUnlimited;
using omen::formats::text_bytes;

namespace {

constexpr std::size_t kWide = sizeof(wchar_t);

std::size_t length_of(const wchar_t* text) {
  return text_bytes(text, kUnlimited) / kWide - 1;
}
/// How many characters of a text are read if at most `most` are requested.
std::size_t part(const char* text, std::size_t most) {
  return text_bytes(text, most);
}
std::size_t part(const wchar_t* text, std::size_t most) {
  return text_bytes(text, most);
}
template <class Char>
std::size_t length_within(const Char* text, std::size_t most) {
  std::size_t n = 0;
  while (n < most && text[n] != 0) ++n;
  return n;
}
/// Reads two texts, up to the first difference or end.
template <class Char>
void compared(const Char* a, const Char* b, std::size_t most, uptr pc) {
  if (recording_thread() == nullptr) return;
  std::size_t n = 0;
  while (n < most && a[n] == b[n] && a[n] != 0) ++n;
  if (n < most) ++n;
  reads(a, n * sizeof(Char), pc);
  reads(b, n * sizeof(Char), pc);
}
template <class Char>
std::size_t distance(const Char* from, const Char* to) {
  return static_cast<std::size_t>(to - from) * sizeof(Char);
}
/// `strtok` and `strsep` read up to the end of the word, and write its terminator.
template <class Char>
void cut(const Char* word, const Char* rest, uptr pc) {
  if (word == nullptr) return;
  const std::size_t bytes = text_bytes(word, kUnlimited);
  reads(word, bytes, pc);
  if (rest != nullptr && reinterpret_cast<uptr>(rest) == reinterpret_cast<uptr>(word) + bytes) {
    writes(rest - 1, sizeof(Char), pc);
  }
}
/// The position at which `strtok` continues: one for the whole program.
char strtok_position[8];

}  // namespace

#define BOTH TEXT(a) TEXT(b)
#define BOTH_WIDE WIDE(a) WIDE(b)
#define COPIED READ(from, text_length(from) + 1) WRITE(to, text_length(from) + 1)
#define COPIED_WIDE READ(from, text_bytes(from, kUnlimited)) WRITE(to, text_bytes(from, kUnlimited))
#define APPENDED \
  READ(from, text_length(from) + 1) READ(to, text_length(to) + 1) WRITE(to + text_length(to), text_length(from) + 1)
#define APPENDED_PART \
  READ(from, part(from, most)) READ(to, text_length(to) + 1) WRITE(to + text_length(to), length_within(from, most) + 1)
#define COPIED_MEMORY READ(from, bytes) WRITE(to, bytes)
#define SEARCHED_SET TEXT(text) TEXT(set)

// clang-format off
// With the size of the target, as _FORTIFY_SOURCE calls them.
OMEN_CALL(void*, __memcpy_chk, (void* to, const void* from, std::size_t bytes, std::size_t room), (to, from, bytes, room), COPIED_MEMORY, )
OMEN_CALL(void*, __memmove_chk, (void* to, const void* from, std::size_t bytes, std::size_t room), (to, from, bytes, room), COPIED_MEMORY, )
OMEN_CALL(void*, __mempcpy_chk, (void* to, const void* from, std::size_t bytes, std::size_t room), (to, from, bytes, room), COPIED_MEMORY, )
OMEN_CALL(void*, __memset_chk, (void* to, int value, std::size_t bytes, std::size_t room), (to, value, bytes, room), WRITE(to, bytes), )
OMEN_CALL(char*, __strcpy_chk, (char* to, const char* from, std::size_t room), (to, from, room), COPIED, )
OMEN_CALL(char*, __stpcpy_chk, (char* to, const char* from, std::size_t room), (to, from, room), COPIED, )
OMEN_CALL(char*, __strncpy_chk, (char* to, const char* from, std::size_t most, std::size_t room), (to, from, most, room), READ(from, part(from, most)) WRITE(to, most), )
OMEN_CALL(char*, __stpncpy_chk, (char* to, const char* from, std::size_t most, std::size_t room), (to, from, most, room), READ(from, part(from, most)) WRITE(to, most), )
OMEN_CALL(char*, __strcat_chk, (char* to, const char* from, std::size_t room), (to, from, room), APPENDED, )
OMEN_CALL(char*, __strncat_chk, (char* to, const char* from, std::size_t most, std::size_t room), (to, from, most, room), APPENDED_PART, )
OMEN_VOID_CALL(__explicit_bzero_chk, (void* to, std::size_t bytes, std::size_t room), (to, bytes, room), WRITE(to, bytes), )
OMEN_CALL(wchar_t*, __wcscpy_chk, (wchar_t* to, const wchar_t* from, std::size_t room), (to, from, room), COPIED_WIDE, )
OMEN_CALL(wchar_t*, __wcpcpy_chk, (wchar_t* to, const wchar_t* from, std::size_t room), (to, from, room), COPIED_WIDE, )
OMEN_CALL(wchar_t*, __wcsncpy_chk, (wchar_t* to, const wchar_t* from, std::size_t most, std::size_t room), (to, from, most, room), READ(from, part(from, most)) WRITE(to, most * kWide), )
OMEN_CALL(wchar_t*, __wcscat_chk, (wchar_t* to, const wchar_t* from, std::size_t room), (to, from, room), WIDE(from) WIDE(to) WRITE(to + length_of(to), text_bytes(from, kUnlimited)), )
OMEN_CALL(wchar_t*, __wcsncat_chk, (wchar_t* to, const wchar_t* from, std::size_t most, std::size_t room), (to, from, most, room), READ(from, part(from, most)) WIDE(to) WRITE(to + length_of(to), (length_within(from, most) + 1) * kWide), )
OMEN_CALL(wchar_t*, __wmemcpy_chk, (wchar_t* to, const wchar_t* from, std::size_t count, std::size_t room), (to, from, count, room), READ(from, count * kWide) WRITE(to, count * kWide), )
OMEN_CALL(wchar_t*, __wmempcpy_chk, (wchar_t* to, const wchar_t* from, std::size_t count, std::size_t room), (to, from, count, room), READ(from, count * kWide) WRITE(to, count * kWide), )
OMEN_CALL(wchar_t*, __wmemmove_chk, (wchar_t* to, const wchar_t* from, std::size_t count, std::size_t room), (to, from, count, room), READ(from, count * kWide) WRITE(to, count * kWide), )
OMEN_CALL(wchar_t*, __wmemset_chk, (wchar_t* to, wchar_t value, std::size_t count, std::size_t room), (to, value, count, room), WRITE(to, count * kWide), )

// Memory.
OMEN_CALL(void*, memccpy, (void* to, const void* from, int stop, std::size_t bytes), (to, from, stop, bytes), ,
          READ(from, result == nullptr ? bytes : distance(static_cast<char*>(to), static_cast<char*>(result))) WROTE(to, result == nullptr ? bytes : distance(static_cast<char*>(to), static_cast<char*>(result))))
OMEN_CALL(void*, memmem, (const void* in, std::size_t bytes, const void* part_of_it, std::size_t length), (in, bytes, part_of_it, length), READ(part_of_it, length),
          READ(in, result == nullptr ? bytes : distance(static_cast<const char*>(in), static_cast<const char*>(result)) + length))
OMEN_CALL(void*, rawmemchr, (const void* in, int value), (in, value), , READ(in, distance(static_cast<const char*>(in), static_cast<const char*>(result)) + 1))
OMEN_CALL(int, bcmp, (const void* a, const void* b, std::size_t bytes), (a, b, bytes), READ(a, bytes) READ(b, bytes), )
OMEN_VOID_CALL(bcopy, (const void* from, void* to, std::size_t bytes), (from, to, bytes), COPIED_MEMORY, )
OMEN_VOID_CALL(explicit_bzero, (void* to, std::size_t bytes), (to, bytes), WRITE(to, bytes), )
OMEN_VOID_CALL(swab, (const void* from, void* to, ssize_t bytes), (from, to, bytes), if (bytes > 0) { COPIED_MEMORY }, )

// Strings.
OMEN_CALL(char*, stpncpy, (char* to, const char* from, std::size_t most), (to, from, most), READ(from, part(from, most)) WRITE(to, most), )
OMEN_CALL(char*, __strdup, (const char* text), (text), TEXT(text), )
OMEN_CALL(char*, __strndup, (const char* text, std::size_t most), (text, most), READ(text, part(text, most)), )
OMEN_CALL(char*, strcasestr, (const char* a, const char* b), (a, b), BOTH, )
OMEN_CALL(int, strcoll, (const char* a, const char* b), (a, b), BOTH, )
OMEN_CALL(int, strverscmp, (const char* a, const char* b), (a, b), BOTH, )
OMEN_CALL(std::size_t, strxfrm, (char* to, const char* from, std::size_t room), (to, from, room), TEXT(from), if (room != 0) WROTE(to, result < room ? result + 1 : room))
OMEN_CALL(char*, index, (const char* text, int value), (text, value), TEXT(text), )
OMEN_CALL(char*, rindex, (const char* text, int value), (text, value), TEXT(text), )
OMEN_CALL(char*, basename, (const char* path), (path), TEXT(path), )
OMEN_CALL(char*, __xpg_basename, (char* path), (path), if (path != nullptr) { WRITE(path, text_length(path) + 1) }, )
OMEN_CALL(char*, dirname, (char* path), (path), if (path != nullptr) { WRITE(path, text_length(path) + 1) }, )
OMEN_CALL(char*, strsep, (char** rest, const char* set), (rest, set), TEXT(set) READ(rest, sizeof *rest), WROTE(rest, sizeof *rest) cut(result, static_cast<const char*>(*rest), pc))
OMEN_CALL(char*, strtok, (char* text, const char* set), (text, set), TEXT(set) WRITE(strtok_position, sizeof strtok_position), if (result != nullptr) { WROTE(result, text_length(result) + 1) })
OMEN_CALL(char*, strtok_r, (char* text, const char* set, char** rest), (text, set, rest), TEXT(set) if (text == nullptr) READ(rest, sizeof *rest), WROTE(rest, sizeof *rest) cut(result, static_cast<const char*>(*rest), pc))
OMEN_CALL(char*, __strtok_r, (char* text, const char* set, char** rest), (text, set, rest), TEXT(set) if (text == nullptr) READ(rest, sizeof *rest), WROTE(rest, sizeof *rest) cut(result, static_cast<const char*>(*rest), pc))

// Wide strings.
OMEN_CALL(std::size_t, wcslen, (const wchar_t* text), (text), , READ(text, (result + 1) * kWide))
OMEN_CALL(std::size_t, wcsnlen, (const wchar_t* text, std::size_t most), (text, most), , READ(text, (result < most ? result + 1 : most) * kWide))
OMEN_CALL(wchar_t*, wcscpy, (wchar_t* to, const wchar_t* from), (to, from), COPIED_WIDE, )
OMEN_CALL(wchar_t*, wcpcpy, (wchar_t* to, const wchar_t* from), (to, from), COPIED_WIDE, )
OMEN_CALL(wchar_t*, wcsncpy, (wchar_t* to, const wchar_t* from, std::size_t most), (to, from, most), READ(from, part(from, most)) WRITE(to, most * kWide), )
OMEN_CALL(wchar_t*, wcscat, (wchar_t* to, const wchar_t* from), (to, from), WIDE(from) WIDE(to) WRITE(to + length_of(to), text_bytes(from, kUnlimited)), )
OMEN_CALL(wchar_t*, wcsncat, (wchar_t* to, const wchar_t* from, std::size_t most), (to, from, most), READ(from, part(from, most)) WIDE(to) WRITE(to + length_of(to), (length_within(from, most) + 1) * kWide), )
OMEN_CALL(wchar_t*, wcsdup, (const wchar_t* text), (text), WIDE(text), )
OMEN_CALL(int, wcscmp, (const wchar_t* a, const wchar_t* b), (a, b), compared(a, b, kUnlimited, pc), )
OMEN_CALL(int, wcsncmp, (const wchar_t* a, const wchar_t* b, std::size_t most), (a, b, most), compared(a, b, most, pc), )
OMEN_CALL(int, wcscasecmp, (const wchar_t* a, const wchar_t* b), (a, b), BOTH_WIDE, )
OMEN_CALL(int, wcscoll, (const wchar_t* a, const wchar_t* b), (a, b), BOTH_WIDE, )
OMEN_CALL(wchar_t*, wcschr, (const wchar_t* text, wchar_t value), (text, value), , if (result != nullptr) { READ(text, distance(text, static_cast<const wchar_t*>(result)) + kWide) } else { WIDE(text) })
OMEN_CALL(wchar_t*, wcsrchr, (const wchar_t* text, wchar_t value), (text, value), WIDE(text), )
OMEN_CALL(wchar_t*, wcsstr, (const wchar_t* a, const wchar_t* b), (a, b), BOTH_WIDE, )
OMEN_CALL(std::size_t, wcsspn, (const wchar_t* a, const wchar_t* b), (a, b), BOTH_WIDE, )
OMEN_CALL(std::size_t, wcscspn, (const wchar_t* a, const wchar_t* b), (a, b), BOTH_WIDE, )
OMEN_CALL(wchar_t*, wcspbrk, (const wchar_t* a, const wchar_t* b), (a, b), BOTH_WIDE, )
OMEN_CALL(wchar_t*, wcstok, (wchar_t* text, const wchar_t* set, wchar_t** rest), (text, set, rest), WIDE(set) if (text == nullptr) READ(rest, sizeof *rest), WROTE(rest, sizeof *rest) cut(result, static_cast<const wchar_t*>(*rest), pc))
OMEN_CALL(wchar_t*, wmemcpy, (wchar_t* to, const wchar_t* from, std::size_t count), (to, from, count), READ(from, count * kWide) WRITE(to, count * kWide), )
OMEN_CALL(wchar_t*, wmempcpy, (wchar_t* to, const wchar_t* from, std::size_t count), (to, from, count), READ(from, count * kWide) WRITE(to, count * kWide), )
OMEN_CALL(wchar_t*, wmemmove, (wchar_t* to, const wchar_t* from, std::size_t count), (to, from, count), READ(from, count * kWide) WRITE(to, count * kWide), )
OMEN_CALL(wchar_t*, wmemset, (wchar_t* to, wchar_t value, std::size_t count), (to, value, count), WRITE(to, count * kWide), )
OMEN_CALL(int, wmemcmp, (const wchar_t* a, const wchar_t* b, std::size_t count), (a, b, count), READ(a, count * kWide) READ(b, count * kWide), )
OMEN_CALL(wchar_t*, wmemchr, (const wchar_t* in, wchar_t value, std::size_t count), (in, value, count), , READ(in, result == nullptr ? count * kWide : distance(in, static_cast<const wchar_t*>(result)) + kWide))

// Between bytes and wide characters. -1 is an error: the output up to the error is unknown.
#define CONVERTED(size) result != kUnlimited && to != nullptr
#define AND_END(size) (result < room ? result + 1 : room) * size
OMEN_CALL(std::size_t, mbstowcs, (wchar_t* to, const char* from, std::size_t room), (to, from, room), TEXT(from), if (CONVERTED(kWide)) WROTE(to, AND_END(kWide)))
OMEN_CALL(std::size_t, wcstombs, (char* to, const wchar_t* from, std::size_t room), (to, from, room), WIDE(from), if (CONVERTED(1)) WROTE(to, AND_END(1)))
OMEN_CALL(std::size_t, mbsrtowcs, (wchar_t* to, const char** from, std::size_t room, mbstate_t* state), (to, from, room, state), READ(from, sizeof *from) TEXT(*from), if (CONVERTED(kWide)) { WROTE(to, AND_END(kWide)) WROTE(from, sizeof *from) } WROTE(state, sizeof *state))
OMEN_CALL(std::size_t, wcsrtombs, (char* to, const wchar_t** from, std::size_t room, mbstate_t* state), (to, from, room, state), READ(from, sizeof *from) WIDE(*from), if (CONVERTED(1)) { WROTE(to, AND_END(1)) WROTE(from, sizeof *from) } WROTE(state, sizeof *state))
OMEN_CALL(std::size_t, mbrtowc, (wchar_t* to, const char* from, std::size_t most, mbstate_t* state), (to, from, most, state), , if (result < kUnlimited - 1) { READ(from, result == 0 ? 1 : result) WROTE(to, kWide) } WROTE(state, sizeof *state))
OMEN_CALL(std::size_t, wcrtomb, (char* to, wchar_t from, mbstate_t* state), (to, from, state), , if (result != kUnlimited) { WROTE(to, result) } WROTE(state, sizeof *state))
OMEN_CALL(std::size_t, __mbstowcs_chk, (wchar_t* to, const char* from, std::size_t room, std::size_t limit), (to, from, room, limit), TEXT(from), if (CONVERTED(kWide)) WROTE(to, AND_END(kWide)))
OMEN_CALL(std::size_t, __wcstombs_chk, (char* to, const wchar_t* from, std::size_t room, std::size_t limit), (to, from, room, limit), WIDE(from), if (CONVERTED(1)) WROTE(to, AND_END(1)))
OMEN_CALL(std::size_t, __mbsrtowcs_chk, (wchar_t* to, const char** from, std::size_t room, mbstate_t* state, std::size_t limit), (to, from, room, state, limit), READ(from, sizeof *from) TEXT(*from), if (CONVERTED(kWide)) { WROTE(to, AND_END(kWide)) WROTE(from, sizeof *from) } WROTE(state, sizeof *state))
OMEN_CALL(std::size_t, __wcsrtombs_chk, (char* to, const wchar_t** from, std::size_t room, mbstate_t* state, std::size_t limit), (to, from, room, state, limit), READ(from, sizeof *from) WIDE(*from), if (CONVERTED(1)) { WROTE(to, AND_END(1)) WROTE(from, sizeof *from) } WROTE(state, sizeof *state))
OMEN_CALL(std::size_t, __wcrtomb_chk, (char* to, wchar_t from, mbstate_t* state, std::size_t limit), (to, from, state, limit), , if (result != kUnlimited) { WROTE(to, result) } WROTE(state, sizeof *state))
OMEN_CALL(int, __wctomb_chk, (char* to, wchar_t from, std::size_t limit), (to, from, limit), , if (to != nullptr && result > 0) WROTE(to, result))
OMEN_CALL(int, mbtowc, (wchar_t* to, const char* from, std::size_t most), (to, from, most), , if (from != nullptr && result >= 0) { READ(from, result == 0 ? 1 : result) WROTE(to, kWide) })
OMEN_CALL(int, wctomb, (char* to, wchar_t from), (to, from), , if (to != nullptr && result > 0) WROTE(to, result))

// Strings to numbers: read up to the first character that is not part of the number.
// clang-format on

/// `arguments` has `own_end` in place of `end`.
#define OMEN_NUMBER(type, name, character, parameters, arguments)                            \
  OMEN_INTERCEPT(type, name, parameters) {                                                   \
    const uptr pc = OMEN_CALLER;                                                             \
    character* own_end = nullptr;                                                            \
    const type result = OMEN_REAL(name) arguments;                                           \
    if (own_end != nullptr) {                                                                \
      READ(text, distance(text, static_cast<const character*>(own_end)) + sizeof(character)) \
    }                                                                                        \
    if (own_end != nullptr && end != nullptr) {                                              \
      *end = own_end;                                                                        \
      WROTE(end, sizeof *end)                                                                \
    }                                                                                        \
    return result;                                                                           \
  }
#define OMEN_INTEGERS(type, name, wide)                                                           \
  OMEN_NUMBER(type, name, char, (const char* text, char** end, int base), (text, &own_end, base)) \
  OMEN_NUMBER(type, wide, wchar_t, (const wchar_t* text, wchar_t** end, int base), (text, &own_end, base))
#define OMEN_REALS(type, name, wide)                                              \
  OMEN_NUMBER(type, name, char, (const char* text, char** end), (text, &own_end)) \
  OMEN_NUMBER(type, wide, wchar_t, (const wchar_t* text, wchar_t** end), (text, &own_end))
OMEN_INTEGERS(long, strtol, wcstol)
OMEN_INTEGERS(unsigned long, strtoul, wcstoul)
OMEN_INTEGERS(long long, strtoll, wcstoll)
OMEN_INTEGERS(unsigned long long, strtoull, wcstoull)
OMEN_INTEGERS(long, strtoimax, wcstoimax)
OMEN_INTEGERS(unsigned long, strtoumax, wcstoumax)
OMEN_REALS(float, strtof, wcstof)
OMEN_REALS(double, strtod, wcstod)
OMEN_REALS(long double, strtold, wcstold)
OMEN_CALL(int, atoi, (const char* text), (text), TEXT(text), )
OMEN_CALL(long, atol, (const char* text), (text), TEXT(text), )
OMEN_CALL(long long, atoll, (const char* text), (text), TEXT(text), )
OMEN_CALL(double, atof, (const char* text), (text), TEXT(text), )
