/// \file
/// Merges the records of all threads in the order of the run: by number, then by position in the thread. No two threads
/// have the same number, so this order is total.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "capture/recording/raw_file.hpp"

namespace omen::recording {

/// Calls `take(thread, entry, cursor)` for each record with a number below `end`, as long as it returns true.
template <class Take>
void for_each_entry(const RawFile& file, std::uint64_t end, Take take) {
  struct Stream {
    ThreadCursor cursor;
    Entry entry;
  };
  std::vector<Stream> streams;
  using Key = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue;
  for (std::uint32_t thread = 0; thread < file.threads().size(); ++thread) {
    streams.push_back({ThreadCursor(file.threads()[thread]), {}});
    if (streams.back().cursor.next(streams.back().entry)) queue.emplace(streams.back().entry.number, thread);
  }
  while (!queue.empty()) {
    const auto [number, thread] = queue.top();
    if (number >= end) return;
    queue.pop();
    Stream& stream = streams[thread];
    const std::uint64_t until = queue.empty() ? end : std::min(end, queue.top().first);
    bool more = true;
    do {
      if (!take(thread, std::as_const(stream.entry), stream.cursor)) return;
      more = stream.cursor.next(stream.entry);
    } while (more && stream.entry.number < until);
    if (more) queue.emplace(stream.entry.number, thread);
  }
}

}  // namespace omen::recording
