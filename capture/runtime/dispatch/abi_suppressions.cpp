/// \file
/// `__tsan_default_suppressions`: as with ThreadSanitizer, a program may define its own suppressions.
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/dispatch/process_description.hpp"
#include "capture/runtime/recorder/recorder.hpp"

extern "C" const char* __tsan_default_suppressions() __attribute__((weak));

namespace omen::rt {

void record_suppressions(ThreadState* thread) {
  const char* const text = __tsan_default_suppressions == nullptr ? nullptr : __tsan_default_suppressions();
  if (text == nullptr) return;
  if (detect::detector.on()) detect::detector.log().say(online_log::word::kSuppressions, text);
  constexpr std::size_t kPiece = 2048;
  const std::size_t length = text_length(text);
  recorder.note(thread, raw::RawOp::Suppressions, (length + kPiece - 1) / kPiece, 0, 0);
  for (std::size_t at = 0; at < length; at += kPiece) {
    char piece[kPiece + 1];
    const std::size_t bytes = length - at < kPiece ? length - at : kPiece;
    copy_bytes(piece, text + at, bytes);
    piece[bytes] = 0;
    recorder.text(thread, piece);
  }
}

}  // namespace omen::rt
