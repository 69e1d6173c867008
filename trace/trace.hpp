/// \file
/// A whole trace in memory: for confirmation, for judges and for tests. Analyses stream instead.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/source.hpp"

namespace omen {

struct Trace {
  std::vector<Event> events;
  Names names;

  const Event& operator[](EventIndex i) const { return events[index(i)]; }
  std::size_t size() const { return events.size(); }
  std::size_t threads() const { return names.of(OperandKind::Thread).size(); }
};

/// Reads to the end, and checks well-formedness.
std::expected<Trace, InputError> load(std::unique_ptr<EventSource> source);

/// `T1|acq(m)|a.c:3`: one event in the text format, without a line feed.
std::string to_text(const Event& event, const Names& names);

}  // namespace omen
