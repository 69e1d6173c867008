#include "capture/driver/response_files.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace omen::driver {
namespace {

constexpr int kMostFiles = 2000;  // GCC's limit; it ends files that name themselves
constexpr size_t kMostBytes = 100'000;
constexpr std::string_view kSpace = " \t\n\r\f\v";

/// Splits text as libiberty's buildargv does: both kinds of quotes group, a backslash escapes the next character.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // inside a word, which may still be empty, as in ''
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
      inside = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (kSpace.contains(c)) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

void expand(const std::vector<std::string>& arguments, int& files, std::vector<std::string>& out) {
  for (const std::string& argument : arguments) {
    std::ifstream file;
    if (argument.size() > 1 && argument[0] == '@' && files < kMostFiles)
      file.open(argument.substr(1), std::ios::binary);
    if (!file.is_open() || !file) {
      out.push_back(argument);
      continue;
    }
    ++files;
    expand(words_of(std::string(std::istreambuf_iterator<char>(file), {})), files, out);
  }
}

}  // namespace

std::vector<std::string> with_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  int files = 0;
  expand(arguments, files, out);
  return out;
}

bool too_long(const std::vector<std::string>& arguments) {
  size_t bytes = 0;
  for (const std::string& argument : arguments) bytes += argument.size() + 1;
  return bytes > kMostBytes;
}

std::string as_response_file(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    if (argument.empty()) text += "\"\"";
    for (const char c : argument) {
      if (kSpace.contains(c) || c == '\'' || c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '\n';
  }
  const int file = memfd_create("omen-arguments", 0);  // not close-on-exec, because the compiler reads it
  if (file < 0) return {};
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) return {};
    done += static_cast<size_t>(written);
  }
  return "@/proc/self/fd/" + std::to_string(file);
}

}  // namespace omen::driver
