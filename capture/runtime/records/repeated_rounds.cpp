#include "capture/runtime/records/repeated_rounds.hpp"

namespace omen::rt {

using raw::RawOp;
using raw::Record;

bool RepeatedRounds::repeats(const u64* next) const {
  const std::ptrdiff_t words = next - now_.begin;
  const u64* const earlier = earlier_.begin;
  if (words == 0 || earlier + words > now_.begin) return false;
  u32 locks = 0;
  uptr lock = 0;
  for (std::ptrdiff_t i = 0; i < words;) {
    const u64 word = now_.begin[i];
    if (raw::words_of_record(word) == 1) {
      const bool may_be = raw::ShortAccess::is(word) ? raw::ShortAccess(word).op() == RawOp::Read : raw::is_frame(word);
      if (!may_be || word != earlier[i]) return false;
      ++i;
      continue;
    }
    const auto& record = reinterpret_cast<const Record&>(now_.begin[i]);
    const auto& as_before = reinterpret_cast<const Record&>(earlier[i]);
    if (record.op() != as_before.op() || record.place != as_before.place || record.node() != as_before.node()) {
      return false;
    }
    i += raw::kRecordWords;
    switch (record.op()) {
      case RawOp::Read:
        if (record.step() != 0 || as_before.step() != 0 || record.length() == raw::kLongLength) return false;
        break;
      case RawOp::Base:
      case RawOp::Window:
        break;
      case RawOp::Acquire:
      case RawOp::AcquireShared:
        if (locks++ != 0) return false;
        lock = record.address();
        break;
      case RawOp::Release:
      case RawOp::ReleaseShared:
        return locks == 1 && lock == record.address() && i == words;
      default:
        return false;
    }
  }
  return false;
}

}  // namespace omen::rt
