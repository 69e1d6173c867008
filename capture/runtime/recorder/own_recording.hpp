/// \file
/// Looking into the recording that the process is writing: for questions that programs ask about their own memory. It
/// takes as long as the recording is, and knows what was recorded before it began.
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
  /// The heap block that holds the address.
  Block block_at(uptr address) const;
  /// The part of a thread's stack that holds the address; not of the first thread's, which is not recorded.
  Block stack_at(uptr address) const;

  /// The places of a stack, innermost first, at most `most`; how many there are.
  u64 places(u32 node, uptr* places, u64 most) const;

  /// The number by which the system knows a thread; 0 if it is not known.
  u64 system_id(u32 thread) const;

 private:
  /// Calls `take(thread, number, record)` for each record of two words, in no order between threads. The record behind
  /// it, if it has one, is in the same chunk.
  template <class Take>
  void for_each(Take take) const;

  MappedFile file_;
};

}  // namespace omen::rt
