/// \file
/// What an access leaves of the history of its bytes.
///
/// Histories stay short by one rule: an earlier access e gives way to the current access a if a conflicts with
/// everything that e conflicts with (`covers`), and
/// - e is settled: a thread that is ordered after a is fully ordered after e;
/// - or the two race, which is reported here: after a race the history is not exact, as in all epoch-based detectors;
/// - or both are of one thread, and its own sections are known to it (SectionOrder::must_keep_own).
/// If e is only ordered, it is *displaced*: it races with nobody that a does not race with, but its sections may yet
/// have to order others. A displaced access is dropped when an access that covers it has it settled, or when a later
/// one of its thread was in all its sections. SmartTrack keeps sections for that, its ancillary metadata; here the
/// epoch is kept, by which they are found.
#include "capture/runtime/detector/line_access.hpp"

namespace omen::rt::detect {

/// The sections of an earlier access may yet have to order others.
void Shadow::displace(LineAccess& access, Word word, ByteSet bytes) const {
  History& history = access.history();
  // A merged one of its thread stands for it too, from now on: what was too much once would soon be so again.
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Word merged = history[i].word;
    const ByteSet part = history[i].bytes & bytes;
    if (!merged.is_merged() || merged.slot() != word.slot() || !covers(merged.kind(), word.kind()) || part.is_empty()) {
      continue;
    }
    bytes -= part;
    if (word.time() <= merged.time()) continue;
    history[i].bytes -= part;
    history.add(word.plain().as(merged.kind()).as_merged(), part);
  }
  for (Entry& other : history) {
    if (!other.word.is_displaced() || !other.bytes.meets(bytes) || other.word == word) continue;
    if (order_.supersedes(access.t, other.word, word)) bytes -= other.bytes;
    if (order_.supersedes(access.t, word, other.word)) other.bytes -= bytes;
  }
  history.add(word.as_displaced(), bytes);
}

/// A merged access stands for earlier displaced ones of its thread.
void Shadow::drop_superseded(LineAccess& access) const {
  for (const Entry& merged : access.history()) {
    if (!merged.word.is_merged()) continue;
    for (Entry& other : access.history()) {
      if (&other == &merged || !other.word.is_displaced() || !other.bytes.meets(merged.bytes)) continue;
      if (order_.supersedes(access.t, merged.word, other.word)) other.bytes -= merged.bytes;
    }
  }
}

void Shadow::update(LineAccess& access) const {
  DetectorThread& t = access.t;
  History& history = access.history();
  const std::size_t size = history.size();
  std::size_t displaced = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Word word = history[i].word;
    const ByteSet bytes = history[i].bytes & access.wanted;
    if (bytes.is_empty() || !covers(access.kind, word.kind())) continue;
    const bool own = t.is_own(word.plain());
    const Ordered order = own ? Ordered::Ordered : order_.order_of(t, word);
    if (order == Ordered::Unordered && !conflict(access.kind, word.kind())) continue;
    // A merged one is not a certain access: that it is not ordered is no race.
    const bool keep = own                ? order_.must_keep_own(t, word)
                      : word.is_merged() ? order != Ordered::Settled
                                         : order == Ordered::Ordered;
    if (keep && word.is_displaced()) {
      ++displaced;
      continue;
    }
    history[i].bytes -= bytes;
    if (keep) displace(access, word, bytes);
    displaced += keep;
  }
  history.add(access.now(), access.wanted);
  history.remove_empty();
  if (OMEN_UNLIKELY(displaced > most_apart.displaced)) merge_displaced(access);
}

/// Those of one thread become one, which stands for all that it did up to the last of them, in any of its sections. It
/// is more order than there is, between sections on one lock that happened one after the other anyway.
OMEN_NOINLINE void Shadow::merge_displaced(LineAccess& access) const {
  History& history = access.history();
  const std::size_t size = history.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (!history[i].word.is_displaced() || history[i].bytes.is_empty()) continue;
    Word latest = history[i].word;
    ByteSet bytes = history[i].bytes;
    bool wrote = is_write(latest.kind());
    bool atomic = is_atomic(latest.kind());
    std::size_t count = 1;
    for (std::size_t j = i + 1; j < size; ++j) {
      Entry& other = history[j];
      if (!other.word.is_displaced() || other.word.slot() != latest.slot() || other.bytes.is_empty()) continue;
      if (other.word.time() > latest.time()) latest = other.word;
      bytes |= other.bytes;
      wrote |= is_write(other.word.kind());
      atomic &= is_atomic(other.word.kind());
      ++count;
    }
    if (count == 1) continue;
    for (std::size_t j = i; j < size; ++j) {
      if (history[j].word.is_displaced() && history[j].word.slot() == latest.slot()) history[j].bytes = {};
    }
    const AccessKind kind = wrote ? (atomic ? AccessKind::AtomicWrite : AccessKind::Write)
                                  : (atomic ? AccessKind::AtomicRead : AccessKind::Read);
    history.add(latest.plain().as(kind).as_merged(), bytes);
  }
  history.remove_empty();
}

}  // namespace omen::rt::detect
