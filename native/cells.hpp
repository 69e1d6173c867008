/// \file
/// What each piece of the run's memory is to the value trace: its width, whether the recording explains what was read
/// of it, who uses it, and what it held at any moment of the recorded order.
///
/// A cell has values if the recording explains every read of it: the last write in the recorded order, or the initial
/// value, gave what was read. Where it does not, since code that nobody sees wrote too, or where memory is accessed
/// plainly and atomically, the cell is opaque (trace/values/value_trace.hpp): its reads keep their recorded writers.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "native/program.hpp"
#include "native/recording.hpp"
#include "native/thread_run.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::native {

inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

struct MemoryCell {
  values::Width width = 0;  ///< 0: nobody said
  bool opaque = false;
  std::optional<std::uint64_t> initial;
  std::uint32_t user = kNobody;  ///< the only thread that accesses it
  bool shared = false;           ///< several do, or could
};

/// Whole cells that make up a piece of memory.
struct CellPart {
  std::uint32_t variable = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Cells {
 public:
  /// From the notes of all threads. An error in words if the recorded order of two accesses is not the one in which
  /// they happened.
  static std::expected<Cells, std::string> of(const Program& program, const Recording& recording, const Run& run);

  std::vector<MemoryCell> variables;  ///< by VariableId
  std::vector<MemoryCell> atomics;    ///< by AtomicId

  const MemoryCell& of(const Event& e) const {
    return traits(e.op).operand == OperandKind::Atomic ? atomics[e.operand] : variables[e.operand];
  }
  static bool touches(Op op) {
    const OperandKind kind = traits(op).operand;
    return kind == OperandKind::Variable || kind == OperandKind::Atomic;
  }

  /// The cells of these bytes in the order of their addresses, none if no access of the run has touched any of them.
  /// Nothing: they are not exactly some whole cells, or somebody accesses them atomically.
  std::optional<std::vector<CellPart>> parts(std::uint64_t address, std::uint64_t bytes) const;
  /// The atomic there, of this width; nothing if there is none, or its memory is accessed plainly too.
  std::optional<std::uint32_t> atomic(std::uint64_t address, values::Width width) const;
  /// What it held before an event of the run; nothing if that is not known.
  std::optional<std::uint64_t> content(bool is_atomic, std::uint32_t id, std::uint64_t event) const;

 private:
  class Finder;
  struct Change {
    std::uint64_t event = 0;
    std::optional<std::uint64_t> now;
  };
  struct Extent {
    std::uint64_t bytes = 0;
    std::uint32_t id = 0;
  };

  std::map<std::uint64_t, Extent> by_address_;
  std::map<std::uint64_t, std::uint32_t> atomic_by_address_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> atomic_memory_;  ///< where plain accesses are not modelled
  std::vector<std::vector<Change>> variable_history_;
  std::vector<std::vector<Change>> atomic_history_;
};

}  // namespace omen::native
