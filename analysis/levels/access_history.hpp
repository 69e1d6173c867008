/// \file
/// The last accesses to each variable in FastTrack's representation, shared by FT2, FTO and SmartTrack: the last write
/// is an epoch; the last reads are an epoch while they are ordered, a vector when they are not.
///
/// Two 8-byte words a variable are what a check looks at. Where accesses stand in trace and source is kept beside them,
/// and touched only when the words change. The checks themselves differ from level to level only in what they are for;
/// the lines that all share are here.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/levels/shared_reads.hpp"
#include "analysis/race.hpp"

namespace omen {

/// The thread of an epoch whose time is the number of a vector in `SharedReads`.
inline constexpr ThreadId kShared{std::numeric_limits<std::uint32_t>::max()};

struct AccessWords {
  Epoch write;
  Epoch read;  ///< or {number, kShared}

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

  /// The reads of x, where they are a vector: times and places by thread.
  [[gnu::always_inline]] const VectorClock& shared_times(const AccessWords& words) const {
    return shared_.times(words.read.time);
  }
  const Site& shared_site(const AccessWords& words, ThreadId u) const { return shared_.site(words.read.time, u); }
  [[gnu::always_inline]] void set_shared_read(const AccessWords& words, Epoch now, Site site) {
    shared_.set(words.read.time, now.thread, now.time, site);
  }

  [[gnu::always_inline]] void set_read(VariableId x, AccessWords& words, Epoch now, Site site) {
    words.read = now;
    sites_[index(x)].read = site;
  }

  /// The reads of x become a vector that holds the epoch so far, and the new read.
  void share(VariableId x, AccessWords& words, Epoch now, Site site) {
    const SharedReads::Number number = shared_.take();
    if (!words.read.is_none()) shared_.set(number, words.read.thread, words.read.time, sites_[index(x)].read);
    shared_.set(number, now.thread, now.time, site);
    words.read = {number, kShared};
  }

  /// The vector of x's reads goes back to the free ones; the caller sets the read word anew.
  void unshare(AccessWords& words) {
    shared_.give_back(words.read.time);
    words.read = {};
  }

  /// Does the access that knows `clock` race with the last write?
  void check_write(const VectorClock& clock, VariableId x, const AccessWords& words, Reporter& reporter) const {
    if (!clock.covers(words.write)) [[unlikely]]
      reporter.races_with(sites_[index(x)].write, words.write.thread, /*wrote=*/true);
  }
  /// With which reads of the vector does it race? `of_writes`: the vector's times may stand for writes too.
  void check_shared(const VectorClock& clock, const AccessWords& words, bool of_writes, Reporter& reporter) const {
    const VectorClock& times = shared_times(words);
    if (clock.covers(times)) return;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const ThreadId u{static_cast<std::uint32_t>(i)};
      const Epoch last{times[u], u};
      if (last.time > clock[u]) reporter.races_with(shared_site(words, u), u, of_writes && last == words.write);
    }
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
        const VectorClock& times = shared_times(words);
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
  SharedReads shared_;
};

}  // namespace omen
