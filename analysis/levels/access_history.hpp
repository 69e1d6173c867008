/// \file
/// The last accesses to each variable in FastTrack's representation, shared by FT2, FTO and SmartTrack: the last write
/// is an epoch; the last reads are an epoch while they are ordered, a vector when they are not.
///
/// Two 8-byte words a variable are what a check looks at. Where accesses stand in trace and source is kept beside them,
/// and touched only when the words change.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/race.hpp"

namespace omen {

/// The thread of an epoch whose time is the index of a `SharedReads`.
inline constexpr ThreadId kShared{std::numeric_limits<std::uint32_t>::max()};

struct SharedReads {
  VectorClock times;
  std::vector<Site> sites;  ///< by thread

  [[gnu::always_inline]] void set(ThreadId t, Time time, Site site) {
    times.set(t, time);
    if (index(t) >= sites.size()) [[unlikely]]
      sites.resize(index(t) + 1);
    sites[index(t)] = site;
  }
};

struct AccessWords {
  Epoch write;
  Epoch read;  ///< or {index, kShared}

  bool is_shared() const { return read.thread == kShared; }
};
static_assert(sizeof(AccessWords) == 16);

struct AccessSites {
  Site write;
  Site read;
};

class AccessHistory {
 public:
  [[gnu::always_inline]] AccessWords& words(VariableId x) {
    if (index(x) >= words_.size()) [[unlikely]]
      grow(x);
    return words_[index(x)];
  }
  AccessSites& sites(VariableId x) { return sites_[index(x)]; }

  SharedReads& shared(const AccessWords& words) { return shared_[words.read.time]; }

  /// The reads of x become a vector that holds the epoch so far. Returns it for the next reader.
  SharedReads& share(VariableId x) {
    AccessWords& words = words_[index(x)];
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(shared_.size()));
      shared_.emplace_back();
    }
    SharedReads& reads = shared_[free_.back()];
    if (!words.read.is_none()) reads.set(words.read.thread, words.read.time, sites_[index(x)].read);
    words.read = {free_.back(), kShared};
    free_.pop_back();
    return reads;
  }

  /// The vector of x's reads goes back to the free ones; the caller sets the read word anew.
  void unshare(AccessWords& words) {
    SharedReads& reads = shared_[words.read.time];
    reads.times.clear();
    free_.push_back(words.read.time);
    words.read = {};
  }

  void forget(VariableId x) {
    AccessWords& old = words(x);
    if (old.is_shared()) unshare(old);
    old = {};
  }

  /// Visits every epoch that some variable still names: reads (each thread's of a vector) and writes.
  template <class Visit>
  void for_each_epoch(Visit visit) const {
    for (const AccessWords& words : words_) {
      if (!words.write.is_none()) visit(words.write);
      if (words.is_shared()) {
        const VectorClock& times = shared_[words.read.time].times;
        for (std::size_t i = 0; i < times.size(); ++i) {
          const ThreadId u{static_cast<std::uint32_t>(i)};
          if (times[u] != 0) visit(Epoch{times[u], u});
        }
      } else if (!words.read.is_none()) {
        visit(words.read);
      }
    }
  }

  std::size_t size() const { return words_.size(); }

 private:
  void grow(VariableId x) {
    words_.resize(index(x) + 1);
    sites_.resize(index(x) + 1);
  }

  std::vector<AccessWords> words_;
  std::vector<AccessSites> sites_;
  std::vector<SharedReads> shared_;
  std::vector<std::uint32_t> free_;
};

}  // namespace omen
