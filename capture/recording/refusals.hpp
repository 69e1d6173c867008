/// \file
/// Failed attempts to take a lock, and the critical section that refused each of them.
///
/// A failed attempt can only happen while another thread holds the lock. In the trace this is an atomic of the holder,
/// `LOCK held by THREAD`: the holder stores to it right after the section's start and right before its end, and the
/// refused thread loads from it between the two. The load keeps its last writer in every reordering, so the attempt
/// stays in the section. Sections that refuse nothing have no such stores, and no two threads store to one atomic, so
/// nothing else is ordered.
///
/// The record of an attempt has a number from after the attempt. A lock is taken before its acquire has a number, and
/// released after its release has one. So the record may be at a position where no thread holds the lock. Then these
/// rules apply, in this order:
/// - if the thread has had no record since before the last section ended, that section refused it, before its end;
/// - else if a section ended before, its holder had not released the lock yet: the load follows the section;
/// - else, if a section begins before the thread's next record, that one refused it, after its start;
/// - else, if the next section's holder has no record between the attempt and that section's start, it had the lock
///   already: its first store precedes the load, at the attempt's record;
/// - else nothing is known.
///
/// A loop of attempts that finally succeeds waits like a blocking lock: the number of attempts decides nothing. So an
/// attempt does not count if the thread's next record is another attempt, which took the lock.
///
/// This is part of the first pass; the second one looks results up by the records' numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace omen::recording {

/// An attempt whose load is not at the position of its record.
struct MovedAttempt {
  std::uint32_t thread;
  std::uint32_t node;
};

class Refusals {
 public:
  /// Called before the pass: there will be an attempt at this lock.
  void expect(std::uint64_t lock) { tried_.insert(lock); }
  bool expected(std::uint64_t lock) const { return tried_.contains(lock); }
  bool any_expected() const { return !tried_.empty(); }

  // Called during the pass, for the expected locks, in the order of the run. `number` is that of the record.
  struct Start {
    std::uint32_t thread;
    std::uint64_t lock;
    std::uint64_t number;
    std::uint64_t before;  ///< the number of the thread's previous record; 0: none
    bool shared;
    bool by_attempt;
    bool after_wait;  ///< the section follows a condition wait: the thread could do nothing before
  };
  void section_begins(const Start& start);
  void section_ends(std::uint32_t thread, std::uint64_t lock, std::uint64_t number);
  /// `before`: the number of the thread's previous record.
  void attempt(std::uint32_t thread, std::uint64_t lock, std::uint64_t number, std::uint64_t before, bool shared,
               std::uint32_t node);
  /// The thread has another record after its attempt.
  void goes_on(std::uint32_t thread);

  // Called after the pass.
  bool empty() const { return holders_.empty() && begins_.empty() && early_holders_.empty(); }
  /// The holder whose section refused the attempt with this number, if the load is at the attempt's record.
  const std::uint32_t* holder(std::uint64_t attempt) const { return find(holders_, attempt); }
  /// The holder whose section begins later and refused the attempt: its first store comes right before the load.
  const std::uint32_t* early_holder(std::uint64_t attempt) const { return find(early_holders_, attempt); }
  /// The section that begins with this record refuses attempts: these loads come right after its start.
  const std::vector<MovedAttempt>* begins(std::uint64_t number) const { return find(begins_, number); }
  /// The same for the record that ends it: these loads come right before its end.
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
    std::uint64_t at;  ///< the record at which the load is placed, if not at the attempt's own
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
