/// \file
/// An execution as the encoding sees it: *items*, which are the events that other threads can notice, each with the
/// local acts that its thread does just before it as *guards*. Made from a value trace, with or without another path of
/// one thread, or from a plain trace of the event model; whole, or a window of it.
///
/// A window takes what comes before it as executed in the recorded order. `kInitial` stands for whatever came before:
/// the writer of what a cell holds at first, the start of a section that is open at first.
/// Invariant: items of a thread are in program order; needs, writers and sections are item numbers of this execution.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "trace/trace.hpp"
#include "trace/values/front_end.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::relax {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};
inline constexpr std::uint32_t kInitial = kNone - 1;

/// What a thread computes on its way to an item, and how it must come out for the thread to get there.
struct Guard {
  std::uint32_t thread = 0;
  std::uint32_t position = 0;  ///< how many items of the thread come before it
  values::ExprId expr{};
  std::uint64_t expected = 0;
  bool branch = false;  ///< else a fixed value
};

struct Item {
  std::uint32_t event = 0;  ///< in the trace; from the trace's size on: in the path
  std::uint32_t thread = 0;
  std::uint32_t position = 0;  ///< among the items of its thread
  Op op = Op::Read;
  std::uint32_t operand = 0;
  LocationId location{};

  std::uint32_t cell = kNone;  ///< what it reads or writes
  bool reads = false;
  bool writes = false;
  bool opaque = false;                       ///< its cell has no values: a read keeps its writer in every model
  std::uint32_t writer = kNone;              ///< of a read: the recorded last writer, `kInitial` if before
  std::uint32_t life_cell = kNone;           ///< of an access to what is allocated: the cell that allocations write
  std::uint32_t life = kInitial;             ///< the allocation that began the life it stands in
  std::uint64_t recorded = 0;                ///< value read
  std::uint64_t stored = 0;                  ///< value written
  values::ExprId expr = values::kNoExpr;     ///< of a write
  values::ValueId value = values::kNoValue;  ///< of a read

  bool never = false;                   ///< it cannot be executed here
  std::vector<Guard> guards;            ///< hold if it is executed
  std::vector<std::uint32_t> needs;     ///< executed before it, in every model
  std::vector<std::uint32_t> ca_needs;  ///< the conflicting accesses before it, those that others imply left out
  std::uint32_t starts = kNone;         ///< a section
};

struct Section {
  std::uint32_t lock = 0;
  std::uint32_t thread = 0;
  std::uint32_t start = kInitial;
  std::uint32_t end = kNone;  ///< none in this execution
  bool shared = false;

  bool excludes(const Section& other) const {
    return lock == other.lock && thread != other.thread && !(shared && other.shared);
  }
};

/// How a value came about. Values that are defined nowhere in the execution are constants.
struct Definition {
  std::uint32_t item = kNone;             ///< the read that defines it …
  values::ExprId expr = values::kNoExpr;  ///< … or what was assigned
};

struct Execution {
  std::vector<Item> items;
  std::vector<std::vector<std::uint32_t>> threads;  ///< the items of each
  std::vector<std::vector<std::uint32_t>> writers;  ///< of each cell: the items that write it, in recorded order
  std::vector<std::uint64_t> initial;               ///< of each cell: its value at first
  std::vector<bool> initial_unknown;                ///< of each cell: it has no known value at first
  std::vector<Section> sections;
  std::vector<Definition> definitions;               ///< by ValueId
  std::vector<std::uint64_t> constants;              ///< by ValueId: the recorded values
  const values::Expressions* expressions = nullptr;  ///< null: a plain trace

  /// The sections that an item stands in.
  std::vector<std::uint32_t> around(std::uint32_t item) const;
  bool conflict(std::uint32_t i, std::uint32_t j) const;
};

/// Events [begin, end) of the trace.
struct Window {
  std::uint32_t begin = 0;
  std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
};

/// One turned branch: `branch` is the event, in the window.
struct Turn {
  std::uint32_t branch = kNone;
  const values::Path* path = nullptr;
};

/// The trace must have passed `values::check`, and outlive the execution.
Execution execution_of(const values::ValueTrace& trace, const Window& window = {}, const Turn& turn = {});

/// The trace must be well formed. It is not kept.
Execution execution_of(const Trace& trace, const Window& window = {});

}  // namespace omen::relax
