/// \file
/// Describes the memory and the threads of a race, from the recorder's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/race_report.hpp"
#include "report/source_map.hpp"

namespace omen::report {

/// The address range of a thread's stack.
struct ThreadStack {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< the first address after
  ThreadId thread{};
};

/// Addresses below the first thread's first frame count as its stack, up to this size.
inline constexpr std::uint64_t kFirstStack = std::uint64_t{64} << 20;
inline bool is_on_first_stack(const CaptureInfo& info, std::uint64_t address) {
  return address <= info.first_frame && info.first_frame - address < kFirstStack;
}

/// An address, and the event at which it was accessed.
struct AddressAt {
  std::uint64_t address = 0;
  std::uint64_t event = 0;
};

/// For each address the index of the newest block that covers it at its event. One pass over the blocks.
std::vector<std::optional<std::size_t>> find_blocks(std::span<const HeapBlock> blocks,
                                                    std::span<const AddressAt> questions);

/// A global, a heap block or a stack; otherwise only the name in the trace.
Variable describe_variable(const SourceMap& map, VariableId variable, std::optional<std::size_t> block,
                           std::span<const ThreadStack> stacks);

/// The threads with these ids and, transitively, their creators, sorted by id.
std::vector<Thread> describe_threads(const SourceMap& map, std::vector<std::uint32_t> ids,
                                     const std::vector<bool>& finished);

}  // namespace omen::report
