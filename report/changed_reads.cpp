#include "report/changed_reads.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace omen::report {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// The last writer of each variable and atomic. An allocation clears it.
class LastWriters {
 public:
  explicit LastWriters(const Trace& trace)
      : variables_(trace.names.of(OperandKind::Variable).size(), kNobody),
        atomics_(trace.names.of(OperandKind::Atomic).size(), kNobody) {}

  std::uint32_t& of(const Event& event) {
    return traits(event.op).operand == OperandKind::Atomic ? atomics_[event.operand] : variables_[event.operand];
  }

 private:
  std::vector<std::uint32_t> variables_;
  std::vector<std::uint32_t> atomics_;
};

bool reads(Op op) {
  return op == Op::Read || op == Op::AtomicRmw;
}
bool writes(Op op) {
  return op == Op::Write || op == Op::Free || op == Op::AtomicStore || op == Op::AtomicRmw;
}

}  // namespace

std::vector<ReadChange> changed_updates(const Trace& trace, std::span<const std::uint32_t> witness) {
  std::vector<std::uint32_t> source(trace.size(),
                                    kNobody);  // of reads of updates: the writer that the recorded run shows
  LastWriters recorded(trace);
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.update && reads(event.op)) source[i] = recorded.of(event);
    if (event.op == Op::Allocate) recorded.of(event) = kNobody;
    if (writes(event.op)) recorded.of(event) = i;
  }
  std::vector<ReadChange> changes;
  LastWriters now(trace);
  std::vector<bool> wrote_another(trace.size(), false);
  std::vector<bool> read_another(trace.threads(), false);  // the thread's last read of an update saw another value
  for (const std::uint32_t i : witness) {
    const Event& event = trace.events[i];
    bool another = false;
    if (event.update && reads(event.op)) {
      const std::uint32_t writer = now.of(event);
      another = writer != source[i] || (writer != kNobody && wrote_another[writer]);
      read_another[index(event.thread)] = another;
      if (another) changes.push_back({.event = i, .recorded = {}, .now = {}});
    } else if (event.update) {
      another = read_another[index(event.thread)];
    }
    if (event.op == Op::Allocate) now.of(event) = kNobody;
    if (!writes(event.op)) continue;
    now.of(event) = i;
    wrote_another[i] = another;
  }
  return changes;
}

std::vector<ChangedRead> describe_changes(const SourceMap& map, std::span<const ReadChange> changes) {
  std::vector<ChangedRead> described;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known;
  for (const ReadChange& change : changes) {
    const Event& event = map.trace().events[change.event];
    const auto [at, is_new] = known.try_emplace(
        {static_cast<std::uint32_t>(event.thread), static_cast<std::uint32_t>(event.location)}, described.size());
    if (!is_new) {
      ++described[at->second].count;
      continue;
    }
    const bool atomic = traits(event.op).operand == OperandKind::Atomic;
    described.push_back({.event = change.event,
                         .thread = static_cast<std::uint32_t>(event.thread),
                         .variable = atomic ? map.titled_atomic(event.atomic()) : map.titled(event.variable()),
                         .place = map.user_place(event),
                         .recorded = change.recorded,
                         .now = change.now});
  }
  return described;
}

std::string change_words(const ChangedRead& read) {
  if (!read.now || !read.recorded) return "what another write left";
  return fmt::format("{} instead of {}", *read.now, *read.recorded);
}

}  // namespace omen::report
