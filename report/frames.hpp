/// \file
/// How frames are shown: which are the system's, which stand together as one line, and short names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/race_report.hpp"

namespace omen::report {

/// A header of the system, or code of the C and C++ libraries.
bool is_system(const Frame& frame);

/// Where the program itself makes the access: the first frame with a source position that is not the system's. Without
/// one, `Race::place`.
const Frame* own_place(const Stack& stack);

/// Frames first … last of a stack, shown as one line if there is more than one.
struct FrameRun {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string label;  ///< of several: "std::thread"

  bool folded() const { return first != last; }
};

/// Whether the innermost frame, which makes an access, stands by itself though it is the system's.
enum class Innermost : std::uint8_t { Alone, AsAll };

/// The stack from its innermost frame outwards. Two or more frames of the system in a row are one run.
std::vector<FrameRun> fold(const Stack& stack, Innermost innermost = Innermost::Alone);

/// A function's name that fits a line. Of the system's, arguments are left out: `std::thread::_M_start_thread(…)`; of
/// the program's, if it is long, the arguments of templates: `run<…>(int)`.
std::string short_name(const Frame& frame);

/// The same for one of which only the name is known: what is in brackets is left out.
std::string without_arguments(std::string_view function);

/// From where files are looked at.
struct Viewpoint {
  std::string folder = {};   ///< files below it are named relative to it; empty: no file is
  std::string project = {};  ///< so are other files below this folder, by way of `..`
};
std::string relative_path(const std::string& file, const Viewpoint& from);

/// "bank.cpp:26", "main", "libc.so.6+0x29d90": a place in a sentence.
std::string place_name(const Frame& frame);

}  // namespace omen::report
