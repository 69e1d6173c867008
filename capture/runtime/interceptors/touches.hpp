/// \file
/// Accesses that functions of the C library make for their caller, and macros that define each function of a family in
/// one line:
///
///     OMEN_CALL(int, stat, (const char* path, void* out), (path, out), TEXT(path), if (result == 0) WROTE(out, kStat))
///
/// The parts are the function's type, its arguments, the accesses before the call and those after it, where `result` is
/// known.
///
/// - READ, WRITE, TEXT, WIDE before the call: the memory that it reads, all of it whatever the result;
/// - WROTE and the same after it. Null pointers are ignored.
/// - OMEN_STATE_CALL is for functions that also use state of the C library which its own locks guard: streams, tables,
///   caches. Accesses to that state are invisible. So a critical section with such a call is opaque
///   (foreign/hidden_state.hpp), and the actions of the library's modules in it are not recorded (c_library.hpp).
#pragma once

#include "capture/runtime/detector/fast_path.hpp"
#include "capture/runtime/foreign/c_library.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/interceptors/formats.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"

namespace omen::rt {

/// The slow path: an access that one line does not decide.
template <bool write>
OMEN_NOINLINE void accesses_further(uptr address, std::size_t bytes, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread != nullptr && !is_for_library(*thread, pc)) recorder.range(thread, address, bytes, write, pc);
}

/// Most calls of these functions access few bytes, which the thread has accessed before in its epoch.
template <bool write>
OMEN_INLINE void accesses(const void* memory, std::size_t bytes, uptr pc) {
  using namespace detect;
  if (bytes == 0) return;
  const uptr address = reinterpret_cast<uptr>(memory);
  if (bytes <= kLineSize - address % kLineSize && (write || shared_site(pc) == 0)) {
    const ShadowLine* const line = ShadowMap::find(address);
    const ByteSet wanted = ByteSet::run(address % kLineSize, bytes);
    if (line != nullptr && is_repeated<write>(*line, Word::of_bits(current_cell_now), wanted)) return;
  }
  accesses_further<write>(address, bytes, pc);
}
OMEN_INLINE void reads(const void* memory, std::size_t bytes, uptr pc) {
  accesses<false>(memory, bytes, pc);
}
OMEN_INLINE void writes(const void* memory, std::size_t bytes, uptr pc) {
  accesses<true>(memory, bytes, pc);
}

/// The same for arguments that may be null.
OMEN_INLINE void touches(const void* memory, std::size_t bytes, bool write, uptr pc) {
  if (memory == nullptr) return;
  if (write) {
    writes(memory, bytes, pc);
  } else {
    reads(memory, bytes, pc);
  }
}
inline void reads_text(const char* text, uptr pc) {
  if (text != nullptr && recording_thread() != nullptr) reads(text, text_length(text) + 1, pc);
}
inline void reads_wide(const wchar_t* text, uptr pc) {
  if (text != nullptr && recording_thread() != nullptr) reads(text, formats::text_bytes(text, formats::kUnlimited), pc);
}

}  // namespace omen::rt

#define READ(memory, bytes) touches(memory, static_cast<std::size_t>(bytes), false, pc);
#define WRITE(memory, bytes) touches(memory, static_cast<std::size_t>(bytes), true, pc);
#define WROTE(memory, bytes) WRITE(memory, bytes)
#define TEXT(text) reads_text(text, pc);
#define WIDE(text) reads_wide(text, pc);

#define OMEN_CALL(type, name, parameters, arguments, before, after) \
  OMEN_INTERCEPT(type, name, parameters) {                          \
    [[maybe_unused]] const omen::rt::uptr pc = OMEN_CALLER;         \
    before;                                                         \
    type const result = OMEN_REAL(name) arguments;                  \
    after;                                                          \
    return result;                                                  \
  }
#define OMEN_VOID_CALL(name, parameters, arguments, before, after) \
  OMEN_INTERCEPT(void, name, parameters) {                         \
    [[maybe_unused]] const omen::rt::uptr pc = OMEN_CALLER;        \
    before;                                                        \
    OMEN_REAL(name) arguments;                                     \
    after;                                                         \
  }
#define OMEN_STATE_CALL(type, name, parameters, arguments, before, after) \
  OMEN_INTERCEPT(type, name, parameters) {                                \
    [[maybe_unused]] const omen::rt::uptr pc = OMEN_CALLER;               \
    before;                                                               \
    reach_hidden_state(pc);                                               \
    type const result = [&] {                                             \
      const InLibrary library(current_thread);                            \
      return OMEN_REAL(name) arguments;                                   \
    }();                                                                  \
    after;                                                                \
    return result;                                                        \
  }
#define OMEN_STATE_VOID_CALL(name, parameters, arguments, before, after) \
  OMEN_INTERCEPT(void, name, parameters) {                               \
    [[maybe_unused]] const omen::rt::uptr pc = OMEN_CALLER;              \
    before;                                                              \
    reach_hidden_state(pc);                                              \
    {                                                                    \
      const InLibrary library(current_thread);                           \
      OMEN_REAL(name) arguments;                                         \
    }                                                                    \
    after;                                                               \
  }
