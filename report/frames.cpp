#include "report/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace omen::report {
namespace {

constexpr std::array<std::string_view, 4> kSystemFolders{"/usr/include/", "/usr/lib/", "/lib/", "/usr/libexec/"};
constexpr std::array<std::string_view, 9> kSystemModules{"libc.so",   "libstdc++.so", "libpthread.so",
                                                         "ld-linux",  "libgcc_s.so",  "libm.so",
                                                         "libc++.so", "libc++abi.so", "libgomp.so"};
/// Function names of the program that are longer than this are shortened.
constexpr std::size_t kLongName = 90;

/// The length of a prefix of `text` in which brackets do not enclose anything: an operator's name, or the anonymous
/// namespace. 0: there is none.
std::size_t literal_length(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kOperator = "operator";
  constexpr std::array<std::string_view, 11> kSigns{"()", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "->", "<", ">"};
  if (text.starts_with(kAnonymous)) return kAnonymous.size();
  if (!text.starts_with(kOperator)) return 0;
  const std::string_view rest = text.substr(kOperator.size());
  const auto sign = std::ranges::find_if(kSigns, [&](std::string_view each) { return rest.starts_with(each); });
  return sign == kSigns.end() ? 0 : kOperator.size() + sign->size();
}

/// Replaces the text between these brackets ("<>" or "<>()") by `…`.
std::string without(std::string_view name, std::string_view brackets) {
  std::string out;
  int depth = 0;
  bool empty = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t length = literal_length(name.substr(i)); length != 0) {
      if (depth == 0) out += name.substr(i, length);
      empty = false;
      i += length - 1;
      continue;
    }
    const char c = name[i];
    const std::size_t kind = brackets.find(c);
    const bool opens = kind != std::string_view::npos && kind % 2 == 0;
    const bool closes = kind != std::string_view::npos && kind % 2 == 1 && depth > 0;
    if (closes && --depth == 0 && !empty) out += "…";
    if (depth == 0) {
      out += c;
    } else {
      empty = false;
    }
    if (opens && depth++ == 0) empty = true;
  }
  return out;
}

/// A label for a run of frames, from the outermost frame with a public name: "std::thread" for
/// `std::thread::_State_impl<…>::_M_run()`.
std::string label_of(const Stack& stack, std::size_t first, std::size_t last) {
  for (std::size_t i = last + 1; i-- > first;) {
    std::string name = without(stack[i].function, "<>()");
    const std::size_t begin = name.rfind(' ') == std::string::npos ? 0 : name.rfind(' ') + 1;
    name.erase(0, begin);
    if (!name.starts_with("std::")) continue;
    const std::size_t end = name.find_first_of(":<(", 5);
    const std::string top = name.substr(0, end);
    if (!top.starts_with("std::_")) return top;
  }
  const Frame& outer = stack[last];
  if (!outer.module.empty() && is_system(outer) && !outer.has_source()) return std::string(base_name(outer.module));
  return "system code";
}

}  // namespace

bool is_system(const Frame& frame) {
  const auto begins = [](const auto& all, std::string_view text) {
    return std::ranges::any_of(all, [&](std::string_view start) { return text.starts_with(start); });
  };
  if (begins(kSystemFolders, frame.file)) return true;
  return begins(kSystemModules, base_name(frame.module));
}

const Frame* own_place(const Stack& stack) {
  const auto found =
      std::ranges::find_if(stack, [](const Frame& frame) { return frame.has_source() && !is_system(frame); });
  return found != stack.end() ? &*found : Race::place(stack);
}

std::vector<FrameRun> fold(const Stack& stack, Innermost innermost) {
  std::vector<FrameRun> runs;
  for (std::size_t i = 0; i < stack.size();) {
    std::size_t end = i + 1;
    if ((i != 0 || innermost == Innermost::AsAll) && is_system(stack[i])) {
      while (end < stack.size() && is_system(stack[end])) ++end;
    }
    runs.push_back({i, end - 1, end - i > 1 ? label_of(stack, i, end - 1) : std::string()});
    i = end;
  }
  return runs;
}

std::string short_name(const Frame& frame) {
  if (is_system(frame)) return without(frame.function, "<>()");
  if (frame.function.size() <= kLongName) return frame.function;
  const std::string plain = without(frame.function, "<>");
  return plain.size() <= kLongName ? plain : without(plain, "<>()");
}

std::string without_arguments(std::string_view function) {
  return without(function, "<>()");
}

std::string relative_path(const std::string& file, const Viewpoint& from) {
  const auto is_below = [&](const std::string& folder) {
    if (folder.size() < 2 || !file.starts_with(folder)) return false;
    const std::size_t at = folder.ends_with('/') ? folder.size() : folder.size() + 1;
    return file.size() > at && file[at - 1] == '/';
  };
  if (!is_below(from.folder) && (from.folder.empty() || !is_below(from.project))) return file;
  return std::filesystem::path(file).lexically_relative(from.folder).string();
}

std::string place_name(const Frame& frame) {
  if (frame.has_source()) return fmt::format("{}:{}", base_name(frame.file), frame.line);
  if (!frame.function.empty()) return short_name(frame);
  if (!frame.module.empty()) return fmt::format("{}+{:#x}", base_name(frame.module), frame.offset);
  return frame.offset == 0 ? "" : fmt::format("{:#x}", frame.offset);
}

}  // namespace omen::report
