/// \file
/// The question that the exact step answers, as a finite problem: can these items be executed, each thread's in program
/// order and up to wherever it likes, such that both racing threads come to their end?
///
/// Items are the events that can matter to the pair (`Closure::relevant`) from event number `begin` of the trace on;
/// those that can matter and come before are executed first, in trace order. With `begin` 0 the answer holds for the
/// whole trace under LW. An item has events that it needs, at most one condition on a *cell*, and cells that it writes.
/// Cells hold the last writer of a variable or an atomic, and the current life of a variable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

class Region {
 public:
  static constexpr std::uint32_t kInitial = kNone - 1;  ///< in place of an item: before all items

  /// The cell holds what the item `value`, or nobody in the region, wrote.
  struct Condition {
    std::uint32_t cell;
    std::uint32_t value;
  };
  struct Item {
    EventNo event = kNone;
    std::uint32_t thread = 0;    ///< in `threads`
    std::uint32_t position = 0;  ///< in its thread
    bool mandatory = false;      ///< in every witness
    std::vector<std::uint32_t> needs;
    std::optional<Condition> condition;
    std::vector<std::uint32_t> writes;  ///< cells
    std::uint32_t starts = kNone;       ///< section
    std::uint32_t ends = kNone;
  };
  struct LockSection {
    LockId lock{};
    std::uint32_t thread = 0;  ///< in `threads`
    bool shared = false;
    std::uint32_t start = kInitial;
    std::uint32_t end = kNone;            ///< never
    std::vector<std::uint32_t> rivals{};  ///< sections
  };

  /// `relevant` is the pair's, `begin` at most its first event.
  Region(const TraceIndex& index, Pair pair, const Cut& relevant, EventNo begin);

  /// One of the accesses can never be next: there is no race under LW.
  bool impossible() const { return impossible_; }
  bool whole() const { return begin_ == 0; }
  Pair pair() const { return pair_; }
  EventNo begin() const { return begin_; }

  const std::vector<Item>& items() const { return items_; }
  const std::vector<std::vector<std::uint32_t>>& threads() const { return threads_; }
  const std::vector<LockSection>& sections() const { return sections_; }
  /// Items that the racing accesses themselves need, and conditions that hold when they are next.
  const std::vector<std::uint32_t>& needs_at_end() const { return needs_at_end_; }
  const std::vector<Condition>& at_end() const { return at_end_; }
  std::size_t cells() const { return writers_.size(); }
  const std::vector<std::uint32_t>& writers(std::uint32_t cell) const { return writers_[cell]; }
  /// The events of the racing threads are all executed, those of others need not be.
  bool racing(std::uint32_t thread) const { return racing_[thread]; }

  /// The whole witness for an order of items.
  std::vector<EventNo> witness(const std::vector<std::uint32_t>& items) const;

 private:
  enum class CellKind : std::uint8_t { Variable, Life, Atomic };

  void add_items(const Cut& relevant);
  void add_cells();
  void add_sections(const Cut& relevant);
  void find_mandatory();
  std::uint32_t item_of(EventNo e) const;
  std::uint32_t number_of(std::size_t thread);

  const TraceIndex& index_;
  Pair pair_;
  EventNo begin_;
  Cut base_;  ///< executed before all items
  bool impossible_ = false;
  std::vector<Item> items_;                                 ///< in trace order
  std::unordered_map<std::size_t, std::uint32_t> numbers_;  ///< of the trace's threads, in `threads_`
  std::vector<std::vector<std::uint32_t>> threads_;
  std::vector<bool> racing_;
  std::vector<LockSection> sections_;
  std::vector<std::uint32_t> needs_at_end_;
  std::vector<Condition> at_end_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< of each cell
};

}  // namespace omen::vindicate
