/// \file
/// Reads the recording that this process is writing, to answer questions that programs ask about their own memory. The
/// time is proportional to the recording; the answers cover what was recorded before.
#pragma once

#include "capture/runtime/base/mapped_file.hpp"
#include "capture/runtime/records/raw_layout.hpp"

namespace omen::rt {

class OwnRecording {
 public:
  OwnRecording();

  struct Block {
    uptr begin = 0;
    u64 bytes = 0;  ///< 0: there is no such block
    u32 thread = 0;
    u32 node = 0;
  };
  /// The heap block that contains the address.
  Block block_at(uptr address) const;
  /// The part of a thread's stack that contains the address. The first thread's stack is not recorded.
  Block stack_at(uptr address) const;

  /// Stores the places of a stack, innermost first, at most `most`; returns their number.
  u64 places(u32 node, uptr* places, u64 most) const;

  /// The thread's system id; 0: unknown.
  u64 system_id(u32 thread) const;

 private:
  /// Calls `take(thread, number, record)` for each record of two words; threads are in no particular order. A record's
  /// second part, if any, follows it in the same chunk.
  template <class Take>
  void for_each(Take take) const;

  MappedFile file_;
};

}  // namespace omen::rt
