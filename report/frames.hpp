/// \file
/// How frames are shown: which belong to the system, which share one line, and short names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/race_report.hpp"

namespace omen::report {

/// The frame is in a system header, or in the C or C++ library.
bool is_system(const Frame& frame);

/// The place in the program's own code: the first frame with a source position that is not the system's. If there is
/// none, `Race::place`.
const Frame* own_place(const Stack& stack);

/// Frames first … last of a stack; more than one share one line.
struct FrameRun {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string label;  ///< if there are several: "std::thread"

  bool folded() const { return first != last; }
};

/// Whether the innermost frame, which makes an access, always has a line of its own.
enum class Innermost : std::uint8_t { Alone, AsAll };

/// The stack in runs, from the innermost frame outwards. Adjacent frames of the system are one run.
std::vector<FrameRun> fold(const Stack& stack, Innermost innermost = Innermost::Alone);

/// A function's name without what makes it long. The system's functions lose their arguments:
/// `std::thread::_M_start_thread(…)`; long names of the program lose their template arguments: `run<…>(int)`.
std::string short_name(const Frame& frame);

/// The same if only the name is known: removes what brackets enclose.
std::string without_arguments(std::string_view function);

/// The folders relative to which files are shown.
struct Viewpoint {
  std::string folder = {};   ///< files below it are shown relative to it; empty: none are
  std::string project = {};  ///< other files below this folder are too, with `..`
};
std::string relative_path(const std::string& file, const Viewpoint& from);

/// "bank.cpp:26", "main", "libc.so.6+0x29d90": a place in a sentence.
std::string place_name(const Frame& frame);

}  // namespace omen::report
