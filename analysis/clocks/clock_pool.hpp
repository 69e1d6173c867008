/// \file
/// Shared, immutable copies of clocks. A release publishes one clock that many variables may refer to. They share one
/// copy, which returns to the pool with its last owner.
///
/// Reference counts are plain integers: all owners of a clock belong to one lock of the program, whose guard protects
/// them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/memory.hpp"

namespace omen {

class ClockPool;

struct PooledClock {
  VectorClock clock;
  std::uint32_t owners = 0;
  ClockPool* pool = nullptr;
};

/// One owner of a pooled clock.
class ClockRef {
 public:
  ClockRef() = default;
  explicit ClockRef(PooledClock* clock) : clock_(clock) { ++clock_->owners; }
  ClockRef(const ClockRef& other) : clock_(other.clock_) {
    if (clock_ != nullptr) ++clock_->owners;
  }
  ClockRef(ClockRef&& other) noexcept : clock_(std::exchange(other.clock_, nullptr)) {}
  ClockRef& operator=(ClockRef other) noexcept {
    std::swap(clock_, other.clock_);
    return *this;
  }
  ~ClockRef();

  explicit operator bool() const { return clock_ != nullptr; }
  const VectorClock& operator*() const { return clock_->clock; }

 private:
  PooledClock* clock_ = nullptr;
};

class ClockPool {
 public:
  ClockPool() = default;
  ClockPool(const ClockPool&) = delete;
  ClockPool& operator=(const ClockPool&) = delete;
  ~ClockPool() {
    for (PooledClock* slab : slabs_) {
      std::destroy_n(slab, kSlab);
      Allocator<PooledClock>().deallocate(slab, kSlab);
    }
  }

  ClockRef copy_of(const VectorClock& clock) {
    PooledClock* const slot = take();
    slot->clock = clock;
    return ClockRef(slot);
  }

  template <class Visit>
  void for_each_live(Visit visit) const {
    for (const PooledClock* slab : slabs_) {
      for (std::size_t i = 0; i < kSlab; ++i) {
        if (slab[i].owners != 0) visit(slab[i]);
      }
    }
  }

 private:
  friend class ClockRef;
  static constexpr std::size_t kSlab = 256;

  PooledClock* take() {
    const DataGuard guard(lock_);
    if (free_.empty()) grow();
    PooledClock* const slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(PooledClock* clock) {
    const DataGuard guard(lock_);
    free_.push_back(clock);
  }

  void grow() {
    PooledClock* const slab = Allocator<PooledClock>().allocate(kSlab);
    std::uninitialized_default_construct_n(slab, kSlab);
    slabs_.push_back(slab);
    for (std::size_t i = kSlab; i-- > 0;) {
      slab[i].pool = this;
      free_.push_back(&slab[i]);
    }
  }

  DataLock lock_;  ///< guards the rest
  Vector<PooledClock*> slabs_;
  Vector<PooledClock*> free_;
};

inline ClockRef::~ClockRef() {
  if (clock_ != nullptr && --clock_->owners == 0) {
    clock_->pool->give_back(clock_);
  }
}

}  // namespace omen
