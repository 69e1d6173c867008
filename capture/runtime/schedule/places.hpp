/// \file
/// Which place of the plan a return address is. Looked up without the loader's lock, which a parked thread may hold.
#pragma once

#include "capture/runtime/schedule/plan.hpp"

namespace omen::rt::schedule {

class Places {
 public:
  /// `plan` outlives it.
  bool prepare(const Plan& plan);

  /// `kUnplanned`: the plan does not have it. `kNoPlace` for 0.
  u32 find(uptr pc);
  static constexpr u32 kUnplanned = kNone;

  /// What to add to a module's own addresses. A module that the program loads later is known from where a point of its
  /// code was met.
  uptr bias(u32 module) const;
  bool is_known(u32 module) const;

 private:
  static constexpr u32 kEmpty = 0;
  u32 bucket(u64 offset) const { return static_cast<u32>((offset * 0x9E3779B97F4A7C15ULL) >> 40) & mask_; }
  bool is_module(u32 module, const char* path) const;
  void loaded(u32 module, uptr bias);

  struct Loaded {
    std::atomic<uptr> bias;
    std::atomic<u32> known;
  };

  const Plan* plan_ = nullptr;
  u32 mask_ = 0;
  u32* buckets_ = nullptr;  ///< places by offset, with open addressing
  Loaded* loaded_ = nullptr;
};

}  // namespace omen::rt::schedule
