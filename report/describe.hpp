/// \file
/// The parts of a race's description that come from a recorder's tables: the memory, the threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/race_report.hpp"
#include "report/source_map.hpp"

namespace omen::report {

/// Where a thread's stack lies.
struct ThreadStack {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< the first address after
  ThreadId thread{};
};

/// Memory below the first thread's first frame is taken for its stack, up to this size.
inline constexpr std::uint64_t kFirstStack = std::uint64_t{64} << 20;
inline bool is_on_first_stack(const CaptureInfo& info, std::uint64_t address) {
  return address <= info.first_frame && info.first_frame - address < kFirstStack;
}

/// An address, at an event.
struct AddressAt {
  std::uint64_t address = 0;
  std::uint64_t event = 0;
};

/// For each question the position of the newest block that covers the address at the event. One pass over the blocks.
std::vector<std::optional<std::size_t>> find_blocks(std::span<const HeapBlock> blocks,
                                                    std::span<const AddressAt> questions);

/// Global, heap block or stack; else only what the trace calls it.
Variable describe_variable(const SourceMap& map, VariableId variable, std::optional<std::size_t> block,
                           std::span<const ThreadStack> stacks);

/// The threads with these ids and all that created them, by id.
std::vector<Thread> describe_threads(const SourceMap& map, std::vector<std::uint32_t> ids,
                                     const std::vector<bool>& finished);

}  // namespace omen::report
