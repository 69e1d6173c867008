/// \file
/// The names and texts of each kind of race: one row per kind, used by every writer. A new kind is a value of
/// `RaceKind` and a row here; explain.cpp has its fix.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace omen::report {

enum class RaceKind : std::uint8_t { DataRace, VptrRace, UseAfterFree };

struct KindWords {
  std::string_view name;      ///< the kind in JSON and SARIF
  std::string_view headline;  ///< the headline in text, in ThreadSanitizer's words
  std::string_view rule;      ///< the name of the SARIF rule
  std::string_view title;     ///< a short description
  std::string_view help;      ///< what the defect is, and how to fix it
};

inline constexpr std::array<KindWords, 3> kKinds{{
    {"data-race", "data race", "DataRace", "Data race",
     "Two threads access the same memory, at least one of them writes, and nothing orders the two accesses. Protect "
     "both with the same lock, make the variable atomic, or order the threads."},
    {"data-race-on-vptr", "data race on vptr (ctor/dtor vs virtual call)", "DataRaceOnVptr",
     "Data race on an object's table of virtual functions",
     "A constructor or destructor sets the object's pointer to its table of virtual functions while another thread "
     "makes a virtual call. Let other threads reach the object only when its most derived constructor has returned, "
     "and "
     "join them, or wait for them, before its destructor begins."},
    {"heap-use-after-free", "heap-use-after-free", "HeapUseAfterFree",
     "Memory is given back while another thread may still use it",
     "Memory is freed, and nothing makes sure that it happens after its last use. Join the threads that use the memory "
     "before it is freed, or let them share its ownership (std::shared_ptr)."},
}};

constexpr const KindWords& words_of(RaceKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

inline constexpr auto kRaceKindNames = [] {
  std::array<std::string_view, kKinds.size()> names;
  for (std::size_t i = 0; i < kKinds.size(); ++i) names[i] = kKinds[i].name;
  return names;
}();

}  // namespace omen::report
