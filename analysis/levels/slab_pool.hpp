/// \file
/// Objects with stable addresses that are found again by a sweep. T has a `bool marked`, which is clear outside of a
/// collection.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace omen {

template <class T>
class SlabPool {
 public:
  T* make(T value) {
    if (free_.empty()) grow();
    Slot* slot = free_.back();
    free_.pop_back();
    slot->value = std::move(value);
    slot->live = true;
    ++live_;
    return &slot->value;
  }

  /// Frees every object that is not marked, and clears the marks.
  void sweep() {
    for (auto& slab : slabs_) {
      for (std::size_t i = 0; i < kSlab; ++i) {
        Slot& slot = slab[i];
        if (slot.live && !slot.value.marked) {
          slot.value = T{};
          slot.live = false;
          --live_;
          free_.push_back(&slot);
        }
        slot.value.marked = false;
      }
    }
  }

  std::size_t live() const { return live_; }

 private:
  static constexpr std::size_t kSlab = 1024;
  struct Slot {
    T value{};
    bool live = false;
  };

  void grow() {
    slabs_.push_back(std::make_unique<Slot[]>(kSlab));
    for (std::size_t i = kSlab; i-- > 0;) free_.push_back(&slabs_.back()[i]);
  }

  std::vector<std::unique_ptr<Slot[]>> slabs_;
  std::vector<Slot*> free_;
  std::size_t live_ = 0;
};

}  // namespace omen
