#include "capture/driver/linker_words.hpp"

#include <algorithm>
#include <utility>

namespace omen::driver {

LinkerWords::LinkerWords(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  for (size_t at = 0; at < arguments_.size(); ++at) {
    const std::string& argument = arguments_[at];
    if (argument.starts_with("-Wl,")) {
      for (size_t begin = 4; begin <= argument.size();) {
        const size_t end = std::min(argument.find(',', begin), argument.size());
        words_.push_back({argument.substr(begin, end - begin), at});
        begin = end + 1;
      }
    } else if (argument == "-Xlinker" && at + 1 < arguments_.size()) {
      words_.push_back({arguments_[++at], at});
    } else if (argument == "-z") {  // both compilers pass it on
      words_.push_back({argument, at});
      if (at + 1 < arguments_.size()) words_.push_back({arguments_[++at], at});
    } else if (argument == "-zdefs") {
      words_.push_back({argument, at});
    }
  }
}

bool LinkerWords::contains(std::string_view word) const {
  return std::ranges::any_of(words_, [&](const Word& w) { return w.text == word; });
}

std::vector<std::string> LinkerWords::without_defs() const {
  std::vector<bool> dropped(words_.size());
  for (size_t at = 0; at < words_.size(); ++at) {
    const std::string& text = words_[at].text;
    const bool pair = text == "-z" && at + 1 < words_.size() && words_[at + 1].text == "defs";
    if (pair || text == "-zdefs" || text == "--no-undefined" || text == "-no-undefined") dropped[at] = true;
    if (pair) dropped[++at] = true;
  }
  std::vector<std::string> out;
  size_t word = 0;
  for (size_t at = 0; at < arguments_.size(); ++at) {
    const std::string& argument = arguments_[at];
    if (argument.starts_with("-Wl,")) {
      std::string kept;
      for (; word < words_.size() && words_[word].argument == at; ++word) {
        if (!dropped[word]) kept += "," + words_[word].text;
      }
      if (!kept.empty()) out.push_back("-Wl" + kept);
    } else if (argument == "-Xlinker" && at + 1 < arguments_.size()) {
      ++at;
      if (!dropped[word++]) out.insert(out.end(), {argument, arguments_[at]});
    } else if (argument == "-z") {
      const bool gone = dropped[word++];
      if (!gone) out.push_back(argument);
      if (at + 1 < arguments_.size()) {
        ++at;
        if (!dropped[word++]) out.push_back(arguments_[at]);
      }
    } else if (argument == "-zdefs") {
      ++word;
    } else {
      out.push_back(argument);
    }
  }
  return out;
}

}  // namespace omen::driver
