/// \file
/// The exact step as a finite problem: can these items be executed, each thread's in program order and up to any point,
/// such that the threads of the *goals* reach their ends? Goals are events of different threads: a racing pair, or the
/// requests of a deadlock.
///
/// Items are the events that can matter to the goals (`Closure::relevant`) from event number `begin` of the trace on;
/// earlier events that can matter are executed first, in trace order. With `begin` 0 the answer holds for the whole
/// trace under LW. An item has events that it needs, at most one condition on a *cell*, and cells that it writes. Cells
/// hold the last writer of a variable or an atomic, and the current life of a variable.
///
/// Under DATA the read of an update has a *wish* instead of a condition: if it does not hold, the update's write does
/// not have its recorded value, so an item that requires that value cannot be executed after it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

class Region {
 public:
  static constexpr std::uint32_t kInitial = kNone - 1;  ///< in place of an item: before all items

  /// The cell holds what the item `value` wrote, or what no item in the region wrote.
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
    std::optional<Condition> wish;
    std::uint32_t source = kNone;       ///< the item with a wish that determines the value it writes; `kNone`: none
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
    std::vector<std::uint32_t> rivals{};  ///< sections  NOLINT(readability-redundant-member-init): GCC wants it
  };

  /// `relevant` belongs to the goals; `begin` is at most the first of them.
  Region(const TraceIndex& index, std::span<const EventNo> goals, const Cut& relevant, EventNo begin);

  /// One of the goals can never be next under LW.
  bool impossible() const { return impossible_; }
  EventNo begin() const { return begin_; }

  const std::vector<Item>& items() const { return items_; }
  const std::vector<std::vector<std::uint32_t>>& threads() const { return threads_; }
  const std::vector<LockSection>& sections() const { return sections_; }
  /// Items that the goals themselves need, and conditions that must hold when they are next.
  const std::vector<std::uint32_t>& needs_at_end() const { return needs_at_end_; }
  const std::vector<Condition>& at_end() const { return at_end_; }
  std::size_t cells() const { return writers_.size(); }
  const std::vector<std::uint32_t>& writers(std::uint32_t cell) const { return writers_[cell]; }
  /// True for the thread of a goal: all of its items are executed; those of other threads need not be.
  bool completes(std::uint32_t thread) const { return completes_[thread]; }

  /// The complete schedule for an order of items, without the goals.
  std::vector<EventNo> schedule(const std::vector<std::uint32_t>& items) const;

 private:
  enum class CellKind : std::uint8_t { Variable, Life, Atomic };

  void add_items(const Cut& relevant);
  void add_cells(const Cut& relevant);
  void drop_idle_wishes();
  void add_sections(const Cut& relevant);
  void find_mandatory();
  std::uint32_t item_of(EventNo e) const;
  std::uint32_t number_of(std::size_t thread);

  const TraceIndex& index_;
  std::span<const EventNo> goals_;
  EventNo begin_;
  Cut base_;  ///< executed before all items
  bool impossible_ = false;
  std::vector<Item> items_;                                 ///< in trace order
  std::unordered_map<std::size_t, std::uint32_t> numbers_;  ///< of the trace's threads, in `threads_`
  std::vector<std::vector<std::uint32_t>> threads_;
  std::vector<bool> completes_;  ///< of each of `threads_`
  std::vector<LockSection> sections_;
  std::vector<std::uint32_t> needs_at_end_;
  std::vector<Condition> at_end_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< of each cell
};

}  // namespace omen::vindicate
