/// \file
/// The locks that each thread holds, innermost last, with what a level keeps per open section.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/relations/section_mode.hpp"
#include "trace/error.hpp"
#include "trace/ids.hpp"

namespace omen {

template <class PerSection>
class HeldLocks {
 public:
  struct Held {
    LockId lock{};
    SectionMode mode{};
    PerSection section{};
  };

  std::vector<Held>& of(ThreadId t) {
    if (index(t) >= threads_.size()) threads_.resize(index(t) + 1);
    return threads_[index(t)];
  }

  /// Locks may be released in any order; well-formedness guarantees that this one is held.
  Held take(ThreadId t, LockId m) {
    auto& held = of(t);
    const auto found = std::ranges::find(held.rbegin(), held.rend(), m, &Held::lock);
    OMEN_CHECK(found != held.rend());
    Held taken = std::move(*found);
    held.erase(std::next(found).base());
    return taken;
  }

  auto begin() const { return threads_.begin(); }
  auto end() const { return threads_.end(); }

 private:
  std::vector<std::vector<Held>> threads_;
};

}  // namespace omen
