/// \file
/// The steps of a decision, their budgets and outcomes; shared by races and deadlocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace omen::vindicate {

/// The outcome for a pair of accesses.
enum class Outcome : std::uint8_t { Race, NoRace, Unknown };
std::string_view name(Outcome outcome);  ///< as in `vindicate --json`

enum class Method : std::uint8_t { None, Order, Closure, Graph, Search, Smt };
std::string_view name(Method method);

/// Which steps to use.
struct Methods {
  bool order = true;
  bool closure = true;
  bool section_last = true;  ///< a proposal of the closure; each costs a run of the checker
  bool graph = true;
  bool search = true;
  bool smt = true;
};

/// The limits of a decision. None of them is a time.
struct Budget {
  static constexpr std::uint64_t kDefault = 2000;

  std::size_t graph_nodes;  ///< events times threads of a constraint graph
  std::size_t window;       ///< items of the largest window of the exact step
  std::size_t states;       ///< of one search
  std::uint32_t rlimit;     ///< of one query

  static Budget of(std::uint64_t window);
};

}  // namespace omen::vindicate
