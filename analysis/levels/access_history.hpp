/// \file
/// The last accesses to each variable in FastTrack's representation, shared by FT2, FTO and SmartTrack: the last write
/// is an epoch; the last reads are an epoch while they are ordered, a vector when they are not.
///
/// A check reads two 8-byte words per variable. The positions of accesses in trace and source are stored separately,
/// and only written when the words change. The checks themselves differ from level to level; their common parts are
/// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/access_words.hpp"
#include "analysis/levels/shared_reads.hpp"
#include "analysis/race.hpp"

namespace omen {

struct AccessSites {
  Site write;
  Site read;

  Site& last(bool write_only) { return (&write)[write_only ? 0 : 1]; }  // as of `AccessWords`
};
static_assert(offsetof(AccessSites, read) == sizeof(Site));

class AccessHistory {
 public:
  [[gnu::always_inline]] AccessWords& words(VariableId x) {
    if (index(x) >= words_.size()) [[unlikely]]
      grow(x);
    return words_[index(x)];
  }
  AccessSites& sites(VariableId x) { return sites_[index(x)]; }

  /// The last read of t in the vector of reads; 0: none.
  [[gnu::always_inline]] Time shared_time(const AccessWords& words, ThreadId t) const {
    return shared_.time(words.read.time, t);
  }
  [[gnu::always_inline]] void set_shared_read(const AccessWords& words, Epoch now, Site site) {
    shared_.set(words.read.time, now, site);
  }
  /// True if each read of the vector is at most at its thread's bound.
  [[gnu::always_inline]] bool shared_is_within(const AccessWords& words, std::span<const Time> bounds) const {
    return shared_.is_within(words.read.time, bounds);
  }
  /// Calls `visit(epoch, site)` for each read of the vector.
  template <class Visit>
  void for_each_shared(const AccessWords& words, Visit visit) const {
    shared_.for_each(words.read.time, visit);
  }

  [[gnu::always_inline]] void set_read(VariableId x, AccessWords& words, Epoch now, Site site) {
    words.read = now;
    sites_[index(x)].read = site;
  }

  /// Sets the last access and the last write.
  [[gnu::always_inline]] void set_write(VariableId x, AccessWords& words, Epoch now, Site site) {
    words = {now, now};
    sites_[index(x)] = {site, site};
  }

  /// Sets a read or a write, without a branch: a read sets its word twice.
  [[gnu::always_inline]] void set_last(VariableId x, AccessWords& words, Epoch now, Site site, bool writes) {
    AccessSites& sites = sites_[index(x)];
    words.last(writes) = now;
    words.read = now;
    sites.last(writes) = site;
    sites.read = site;
  }

  /// Replaces the read epoch of x by a vector with that epoch and the new read.
  void share(VariableId x, AccessWords& words, Epoch now, Site site) {
    const SharedReads::Number number = shared_.take();
    if (!words.read.is_none()) shared_.set(number, words.read, sites_[index(x)].read);
    shared_.set(number, now, site);
    words.read = {number, kShared};
  }

  /// Frees the vector of x's reads; the caller then sets the read word.
  void unshare(AccessWords& words) {
    shared_.give_back(words.read.time);
    words.read = {};
  }

  /// Reports a race if the access that knows `clock` is not ordered after the last write.
  template <class Reports>
  void check_write(const VectorClock& clock, VariableId x, const AccessWords& words, Reports& reporter) const {
    if (!clock.covers(words.write)) [[unlikely]]
      reporter.races_with(sites_[index(x)].write, words.write.thread, /*wrote=*/true);
  }
  /// Reports the reads of the vector that race with the access. `of_writes`: the vector's times may also stand for
  /// writes.
  template <class Reports>
  void check_shared(const VectorClock& clock, const AccessWords& words, bool of_writes, Reports& reporter) const {
    if (shared_is_within(words, clock.lanes())) return;
    for_each_shared(words, [&](Epoch last, const Site& site) {
      if (!clock.covers(last)) reporter.races_with(site, last.thread, of_writes && last == words.write);
    });
  }

  void forget(VariableId x) {
    AccessWords& old = words(x);
    if (old.is_shared()) unshare(old);
    old = {};
  }

  /// Visits every epoch that some variable still refers to: reads (each thread's of a vector) and writes.
  template <class Visit>
  void for_each_epoch(Visit visit) const {
    for (const AccessWords& words : words_) {
      if (!words.write.is_none()) visit(words.write);
      if (words.is_shared()) {
        for_each_shared(words, [&](Epoch last, const Site&) { visit(last); });
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
