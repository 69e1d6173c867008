/// \file
/// Functions of the C library that read and write the program's memory. Their accesses are recorded as the caller's:
/// where clang calls the `__tsan_` variant, GCC calls the function itself.
#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;

namespace {

/// How many bytes a comparison reads: up to the first difference.
OMEN_INLINE std::size_t compared_bytes(const char* a, const char* b, std::size_t bytes) {
  std::size_t n = 0;
  for (; n + sizeof(u64) <= bytes; n += sizeof(u64)) {
    u64 x;
    u64 y;
    __builtin_memcpy(&x, a + n, sizeof x);
    __builtin_memcpy(&y, b + n, sizeof y);
    if (x != y) return n + static_cast<std::size_t>(__builtin_ctzll(x ^ y)) / 8 + 1;
  }
  while (n < bytes && a[n] == b[n]) ++n;
  return n < bytes ? n + 1 : n;
}

std::size_t bounded_length(const char* text, std::size_t most) {
  std::size_t n = 0;
  while (n < most && text[n] != 0) ++n;
  return n;
}

}  // namespace

OMEN_INTERCEPT(void*, memcpy, (void* to, const void* from, std::size_t bytes)) {
  if (OMEN_UNLIKELY(current_thread == nullptr) || current_thread->busy != 0) {
    // The loader and the lookup of the real function also call this.
    void* const result = to;
    copy_bytes(to, from, bytes);
    return result;
  }
  reads(from, bytes, OMEN_CALLER);
  writes(to, bytes, OMEN_CALLER);
  return OMEN_REAL(memcpy)(to, from, bytes);
}

OMEN_INTERCEPT(void*, memmove, (void* to, const void* from, std::size_t bytes)) {
  if (OMEN_LIKELY(current_thread != nullptr) && current_thread->busy == 0) {
    reads(from, bytes, OMEN_CALLER);
    writes(to, bytes, OMEN_CALLER);
    return OMEN_REAL(memmove)(to, from, bytes);
  }
  auto* const out = static_cast<char*>(to);
  const auto* const in = static_cast<const char*>(from);
  if (out < in) {
    for (std::size_t i = 0; i < bytes; ++i) out[i] = in[i];
  } else {
    for (std::size_t i = bytes; i > 0; --i) out[i - 1] = in[i - 1];
  }
  return to;
}

OMEN_INTERCEPT(void*, memset, (void* to, int value, std::size_t bytes)) {
  if (OMEN_UNLIKELY(current_thread == nullptr) || current_thread->busy != 0) {
    auto* const out = static_cast<volatile char*>(to);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(value);
    return to;
  }
  writes(to, bytes, OMEN_CALLER);
  return OMEN_REAL(memset)(to, value, bytes);
}

extern "C" __attribute__((visibility("default"))) void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  reads(from, bytes, OMEN_CALLER);
  writes(to, bytes, OMEN_CALLER);
  return omen_real_memcpy.get()(to, from, bytes);
}
extern "C" __attribute__((visibility("default"))) void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  reads(from, bytes, OMEN_CALLER);
  writes(to, bytes, OMEN_CALLER);
  return omen_real_memmove.get()(to, from, bytes);
}
extern "C" __attribute__((visibility("default"))) void* __tsan_memset(void* to, int value, std::size_t bytes) {
  writes(to, bytes, OMEN_CALLER);
  return omen_real_memset.get()(to, value, bytes);
}

OMEN_INTERCEPT(void*, mempcpy, (void* to, const void* from, std::size_t bytes)) {
  reads(from, bytes, OMEN_CALLER);
  writes(to, bytes, OMEN_CALLER);
  return OMEN_REAL(mempcpy)(to, from, bytes);
}
OMEN_INTERCEPT(void, bzero, (void* to, std::size_t bytes)) {
  writes(to, bytes, OMEN_CALLER);
  OMEN_REAL(bzero)(to, bytes);
}

// Comparisons report reads up to the first difference, memchr and strchr up to the match. memrchr, strrchr, strstr and
// the searches for sets report the whole text.
OMEN_INTERCEPT(int, memcmp, (const void* a, const void* b, std::size_t bytes)) {
  if (current_thread != nullptr) {
    const std::size_t n = compared_bytes(static_cast<const char*>(a), static_cast<const char*>(b), bytes);
    reads(a, n, OMEN_CALLER);
    reads(b, n, OMEN_CALLER);
  }
  return OMEN_REAL(memcmp)(a, b, bytes);
}
OMEN_INTERCEPT(void*, memchr, (const void* memory, int value, std::size_t bytes)) {
  void* const found = OMEN_REAL(memchr)(memory, value, bytes);
  reads(memory,
        found == nullptr ? bytes
                         : static_cast<std::size_t>(static_cast<char*>(found) - static_cast<const char*>(memory)) + 1,
        OMEN_CALLER);
  return found;
}
OMEN_INTERCEPT(void*, memrchr, (const void* memory, int value, std::size_t bytes)) {
  reads(memory, bytes, OMEN_CALLER);
  return OMEN_REAL(memrchr)(memory, value, bytes);
}

OMEN_INTERCEPT(std::size_t, strlen, (const char* text)) {
  if (current_thread == nullptr || current_thread->busy != 0) return text_length(text);
  const std::size_t length = OMEN_REAL(strlen)(text);
  reads(text, length + 1, OMEN_CALLER);
  return length;
}
OMEN_INTERCEPT(std::size_t, strnlen, (const char* text, std::size_t most)) {
  const std::size_t length = OMEN_REAL(strnlen)(text, most);
  reads(text, length < most ? length + 1 : most, OMEN_CALLER);
  return length;
}
OMEN_INTERCEPT(char*, strcpy, (char* to, const char* from)) {
  const std::size_t bytes = text_length(from) + 1;
  reads(from, bytes, OMEN_CALLER);
  writes(to, bytes, OMEN_CALLER);
  return OMEN_REAL(strcpy)(to, from);
}
OMEN_INTERCEPT(char*, stpcpy, (char* to, const char* from)) {
  const std::size_t bytes = text_length(from) + 1;
  reads(from, bytes, OMEN_CALLER);
  writes(to, bytes, OMEN_CALLER);
  return OMEN_REAL(stpcpy)(to, from);
}
OMEN_INTERCEPT(char*, strncpy, (char* to, const char* from, std::size_t most)) {
  const std::size_t length = bounded_length(from, most);
  reads(from, length < most ? length + 1 : most, OMEN_CALLER);
  writes(to, most, OMEN_CALLER);
  return OMEN_REAL(strncpy)(to, from, most);
}
OMEN_INTERCEPT(char*, strcat, (char* to, const char* from)) {
  const std::size_t bytes = text_length(from) + 1;
  const std::size_t length = text_length(to);
  reads(from, bytes, OMEN_CALLER);
  reads(to, length + 1, OMEN_CALLER);
  writes(to + length, bytes, OMEN_CALLER);
  return OMEN_REAL(strcat)(to, from);
}
OMEN_INTERCEPT(char*, strncat, (char* to, const char* from, std::size_t most)) {
  const std::size_t bytes = bounded_length(from, most);
  const std::size_t length = text_length(to);
  reads(from, bytes < most ? bytes + 1 : bytes, OMEN_CALLER);
  reads(to, length + 1, OMEN_CALLER);
  writes(to + length, bytes + 1, OMEN_CALLER);
  return OMEN_REAL(strncat)(to, from, most);
}
OMEN_INTERCEPT(char*, strdup, (const char* text)) {
  reads(text, text_length(text) + 1, OMEN_CALLER);
  return OMEN_REAL(strdup)(text);
}
OMEN_INTERCEPT(char*, strndup, (const char* text, std::size_t most)) {
  const std::size_t length = bounded_length(text, most);
  reads(text, length < most ? length + 1 : most, OMEN_CALLER);
  return OMEN_REAL(strndup)(text, most);
}

namespace {
void compared(const char* a, const char* b, std::size_t most, uptr pc) {
  if (recording_thread() == nullptr) return;
  std::size_t n = 0;
  while (n < most && a[n] == b[n] && a[n] != 0) ++n;
  if (n < most) ++n;
  reads(a, n, pc);
  reads(b, n, pc);
}
void compared_ignoring_case(const char* a, const char* b, std::size_t most, uptr pc) {
  if (recording_thread() == nullptr) return;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::size_t n = 0;
  while (n < most && lower(a[n]) == lower(b[n]) && a[n] != 0) ++n;
  if (n < most) ++n;
  reads(a, n, pc);
  reads(b, n, pc);
}
constexpr std::size_t kUnbounded = ~std::size_t{0};
}  // namespace

OMEN_INTERCEPT(int, strcmp, (const char* a, const char* b)) {
  compared(a, b, kUnbounded, OMEN_CALLER);
  return OMEN_REAL(strcmp)(a, b);
}
OMEN_INTERCEPT(int, strncmp, (const char* a, const char* b, std::size_t most)) {
  compared(a, b, most, OMEN_CALLER);
  return OMEN_REAL(strncmp)(a, b, most);
}
OMEN_INTERCEPT(int, strcasecmp, (const char* a, const char* b)) {
  compared_ignoring_case(a, b, kUnbounded, OMEN_CALLER);
  return OMEN_REAL(strcasecmp)(a, b);
}
OMEN_INTERCEPT(int, strncasecmp, (const char* a, const char* b, std::size_t most)) {
  compared_ignoring_case(a, b, most, OMEN_CALLER);
  return OMEN_REAL(strncasecmp)(a, b, most);
}
OMEN_INTERCEPT(char*, strchr, (const char* text, int value)) {
  char* const found = OMEN_REAL(strchr)(text, value);
  reads(text, found == nullptr ? text_length(text) + 1 : static_cast<std::size_t>(found - text) + 1, OMEN_CALLER);
  return found;
}
OMEN_INTERCEPT(char*, strchrnul, (const char* text, int value)) {
  char* const found = OMEN_REAL(strchrnul)(text, value);
  reads(text, static_cast<std::size_t>(found - text) + 1, OMEN_CALLER);
  return found;
}
OMEN_INTERCEPT(char*, strrchr, (const char* text, int value)) {
  reads(text, text_length(text) + 1, OMEN_CALLER);
  return OMEN_REAL(strrchr)(text, value);
}
OMEN_INTERCEPT(char*, strstr, (const char* text, const char* part)) {
  reads(text, text_length(text) + 1, OMEN_CALLER);
  reads(part, text_length(part) + 1, OMEN_CALLER);
  return OMEN_REAL(strstr)(text, part);
}
OMEN_INTERCEPT(std::size_t, strspn, (const char* text, const char* set)) {
  reads(text, text_length(text) + 1, OMEN_CALLER);
  reads(set, text_length(set) + 1, OMEN_CALLER);
  return OMEN_REAL(strspn)(text, set);
}
OMEN_INTERCEPT(std::size_t, strcspn, (const char* text, const char* set)) {
  reads(text, text_length(text) + 1, OMEN_CALLER);
  reads(set, text_length(set) + 1, OMEN_CALLER);
  return OMEN_REAL(strcspn)(text, set);
}
OMEN_INTERCEPT(char*, strpbrk, (const char* text, const char* set)) {
  reads(text, text_length(text) + 1, OMEN_CALLER);
  reads(set, text_length(set) + 1, OMEN_CALLER);
  return OMEN_REAL(strpbrk)(text, set);
}

// GNU's variant may return a static text and leave the buffer unchanged.
OMEN_INTERCEPT(char*, strerror_r, (int error, char* to, std::size_t bytes)) {
  char* const text = OMEN_REAL(strerror_r)(error, to, bytes);
  if (text == to) writes(to, text_length(to) + 1, OMEN_CALLER);
  return text;
}
OMEN_INTERCEPT(int, __xpg_strerror_r, (int error, char* to, std::size_t bytes)) {
  const int result = OMEN_REAL(__xpg_strerror_r)(error, to, bytes);
  if (bytes != 0) writes(to, bounded_length(to, bytes - 1) + 1, OMEN_CALLER);
  return result;
}
