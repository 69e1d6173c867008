/// \file
/// omen-cc as GCC's assembler: passes the marked text (marked_assembly.hpp) to the real assembler, through memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

#include "capture/driver/contains.hpp"
#include "capture/driver/failure.hpp"
#include "capture/driver/marked_assembly.hpp"
#include "capture/driver/tools.hpp"

namespace omen::driver {
namespace {

/// The index of the only input; the number of arguments stands for standard input. Nothing if there are several inputs.
std::optional<size_t> input_of(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 6> takes_value = {"-o", "-I", "--defsym", "--MD", "-MD", "--debug-prefix-map"};
  std::optional<size_t> input;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (contains(takes_value, word)) {
      ++at;
    } else if (word == "-" || word == "--" || !word.starts_with('-')) {
      if (input) return std::nullopt;
      input = at;
    }
  }
  return input ? *input : arguments.size();
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

/// An unnamed file with this text; empty on failure.
std::string as_file(const std::string& text) {
  const int file = memfd_create("omen-assembly", 0);  // not close-on-exec, because the assembler reads it
  if (file < 0) return {};
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) return {};
    done += static_cast<size_t>(written);
  }
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

int assemble(const std::string& name, const std::vector<std::string>& arguments, const std::string& self) {
  const std::string program = find_real_tool(name, self);
  if (program.empty()) {
    std::fputs("omen-cc: error: there is no assembler\n", stderr);
    return kUnavailable;
  }
  const auto input = input_of(arguments);
  if (!input) return become(program, arguments);
  const bool is_piped = *input == arguments.size() || arguments[*input] == "-" || arguments[*input] == "--";
  std::string text;
  if (is_piped) {
    if (isatty(STDIN_FILENO) != 0 || contains(arguments, "--version") || contains(arguments, "--help"))
      return become(program, arguments);
    text = read_all(STDIN_FILENO);
  } else {
    std::ifstream file(arguments[*input], std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto marked = marked_assembly(text);
  if (!marked && !is_piped) return become(program, arguments);
  const std::string path = as_file(marked ? *marked : text);
  if (path.empty()) {
    std::fputs("omen-cc: error: there is no memory for a file with the assembly\n", stderr);
    return kUnavailable;
  }
  std::vector<std::string> changed = arguments;
  if (*input == changed.size()) {
    changed.push_back(path);
  } else {
    changed[*input] = path;
  }
  return become(program, changed);
}

}  // namespace omen::driver
