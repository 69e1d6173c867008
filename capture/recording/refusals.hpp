/// \file
/// Attempts to take a lock that failed, and which critical section refused each of them.
///
/// A failed attempt can only happen while somebody holds the lock. In the trace this is an atomic of the holder, `LOCK
/// held by THREAD`: the holder stores to it right after the section's start and right before its end, and the refused
/// thread loads from it between the two. The load keeps its last writer in every reordering, so the attempt stays in
/// the section. Sections that refuse nobody have no such stores, and no two threads store to one atomic, so nothing
/// else gets an order.
///
/// The record of an attempt has a number from after the attempt. A lock is taken before its acquire has a number, and
/// given back after its release has one. So an attempt may stand where nobody holds the lock. Then
/// - if the thread had done nothing since before the last section ended, that section refused it, before its end;
/// - else if a section ended before, its holder had not given the lock back yet: the load stands behind the section;
/// - else, if a section begins before the thread does anything else, that one refused it, after its start;
/// - else, if the next section's holder did nothing between the attempt and that section's start, it had the lock
///   already: its first store stands before the load, where the attempt is recorded;
/// - else nothing is known.
///
/// A loop that tries until it has the lock waits like a blocking lock: how often it tried decides nothing. So an
/// attempt does not count if the thread's next record is another attempt, which took the lock.
///
/// This is part of the first pass; the second one asks by the records' numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace omen::recording {

/// An attempt whose load does not stand where its record stands.
struct MovedAttempt {
  std::uint32_t thread;
  std::uint32_t node;
};

class Refusals {
 public:
  /// Before the pass: there will be an attempt at this lock.
  void expect(std::uint64_t lock) { tried_.insert(lock); }
  bool expected(std::uint64_t lock) const { return tried_.contains(lock); }
  bool any_expected() const { return !tried_.empty(); }

  // The pass, for the locks that are expected, in the order of the run. `number` is that of the record.
  struct Start {
    std::uint32_t thread;
    std::uint64_t lock;
    std::uint64_t number;
    std::uint64_t before;  ///< the number of the thread's record before this one; 0: there is none
    bool shared;
    bool by_attempt;
    bool after_wait;  ///< at a condition variable: the thread could do nothing before
  };
  void section_begins(const Start& start);
  void section_ends(std::uint32_t thread, std::uint64_t lock, std::uint64_t number);
  /// `before`: the number of the thread's record before this one.
  void attempt(std::uint32_t thread, std::uint64_t lock, std::uint64_t number, std::uint64_t before, bool shared,
               std::uint32_t node);
  /// The thread has done something after its attempt.
  void goes_on(std::uint32_t thread);

  // After the pass.
  bool empty() const { return holders_.empty() && begins_.empty() && early_holders_.empty(); }
  /// The holder whose section refused the attempt with this number, if its load stands where its record stands.
  const std::uint32_t* holder(std::uint64_t attempt) const { return find(holders_, attempt); }
  /// The holder whose section begins later and refused the attempt: its first store comes right before the load.
  const std::uint32_t* early_holder(std::uint64_t attempt) const { return find(early_holders_, attempt); }
  /// The section that begins with this record refuses somebody: these loads come right after its start.
  const std::vector<MovedAttempt>* begins(std::uint64_t number) const { return find(begins_, number); }
  /// The same of the record that ends it: these come right before its end.
  const std::vector<MovedAttempt>* ends(std::uint64_t number) const { return find(ends_, number); }

 private:
  struct Section {
    std::uint32_t thread;
    std::uint64_t began;
    bool shared;
    bool refuses = false;
  };
  struct Ended {
    Section section;
    std::uint64_t ended;
  };
  struct Lock {
    std::vector<Section> open;  ///< in the order of their starts
    std::optional<Ended> last;
    std::vector<std::uint64_t> unexplained;  ///< attempts since the last section ended
  };
  enum class Where : std::uint8_t { Here, BeforeEnd, BehindStart, Waiting };
  /// The latest record of its thread.
  struct Attempt {
    std::uint64_t lock;
    std::uint64_t number;
    std::uint32_t node;
    Where where;
    std::uint64_t at;  ///< the record that its load stands at, where it does not stand at its own
  };
  void take_back(std::uint32_t thread, const Attempt& attempt);

  template <class Map>
  static const typename Map::mapped_type* find(const Map& map, std::uint64_t number) {
    const auto at = map.find(number);
    return at == map.end() ? nullptr : &at->second;
  }

  std::unordered_set<std::uint64_t> tried_;
  std::unordered_map<std::uint64_t, Lock> locks_;
  std::unordered_map<std::uint32_t, Attempt> latest_;  ///< by thread
  std::unordered_map<std::uint64_t, std::uint32_t> holders_;
  std::unordered_map<std::uint64_t, std::uint32_t> early_holders_;
  std::unordered_map<std::uint64_t, std::vector<MovedAttempt>> begins_;
  std::unordered_map<std::uint64_t, std::vector<MovedAttempt>> ends_;
};

}  // namespace omen::recording
