/// \file
/// Maps return addresses to places of the plan. Lookups do not take the loader's lock, which a parked thread may hold.
#pragma once

#include "capture/runtime/schedule/plan.hpp"

namespace omen::rt::schedule {

class Places {
 public:
  /// `plan` must outlive this object.
  bool prepare(const Plan& plan);

  /// `kUnplanned`: not in the plan. `kNoPlace` for 0.
  u32 find(uptr pc);
  static constexpr u32 kUnplanned = kNone;

  /// The load bias of a module. For a module that the program loads later it is derived from the first point met in its
  /// code.
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
