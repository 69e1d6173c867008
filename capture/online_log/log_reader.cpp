#include "capture/online_log/log_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "trace/quote.hpp"

namespace omen::online {
namespace {

namespace word = online_log::word;
using online_log::BlockKind;
using online_log::Finding;
using online_log::kVersion;
using online_log::LockMode;
using online_log::Side;

constexpr std::uint8_t kNow = 1;
constexpr std::uint8_t kEarlier = 2;

/// The words of one line. Keeps the first error; reads after it return empty values.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  const std::optional<std::string>& wrong() const { return wrong_; }

  void fail(std::string message) {
    if (!wrong_) wrong_ = std::move(message);
  }

  std::string_view word() {
    const auto end = std::min(rest_.find(' '), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }

  std::string_view next() const { return rest_.substr(0, rest_.find(' ')); }

  template <class Number = std::uint64_t>
  Number number(std::string_view what) {
    const std::string_view digits = word();
    Number value = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc{} && stop == end) return value;
    expected(what, digits);
    return 0;
  }

  std::uint64_t address(std::string_view what) {
    const std::string_view digits = word();
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    if (digits.starts_with("0x")) {
      const auto [stop, error] = std::from_chars(digits.data() + 2, end, value, 16);
      if (error == std::errc{} && stop == end) return value;
    }
    expected(fmt::format("{} such as 0x1f", what), digits);
    return 0;
  }

  void keyword(std::string_view keyword) {
    if (const std::string_view found = word(); found != keyword) expected(quoted(keyword), found);
  }

  /// The value whose name is the next word.
  template <class Enum, std::size_t kCount>
  Enum value(const char* const (&names)[kCount]) {
    const std::string_view found = word();
    for (std::size_t i = 0; i < kCount; ++i) {
      if (names[i] == found) return static_cast<Enum>(i);
    }
    expected(fmt::format("one of {}", fmt::join(names, ", ")), found);
    return Enum{};
  }

  /// `: 0xPC 0xPC …`, or `: ?`.
  Addresses stack() {
    keyword(online_log::kStack);
    if (rest_ == online_log::kUnknownStack) {
      rest_ = {};
      return std::nullopt;
    }
    std::vector<std::uint64_t> addresses;
    while (!rest_.empty() && !wrong_) addresses.push_back(address("a return address"));
    return addresses;
  }

  /// The rest of the line, unescaped.
  std::string text() {
    std::string result;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] != '\\') {
        result += rest_[i];
        continue;
      }
      const char escaped = i + 1 < rest_.size() ? rest_[i + 1] : '\0';
      if (escaped != 'n' && escaped != '\\') {
        fail("expected 'n' or '\\' after '\\'");
        break;
      }
      result += escaped == 'n' ? '\n' : '\\';
      ++i;
    }
    rest_ = {};
    return result;
  }

  void end() {
    if (!rest_.empty()) fail(fmt::format("expected the end of the line, not {}", quoted(rest_)));
  }

 private:
  void expected(std::string_view what, std::string_view found) {
    fail(found.empty() ? fmt::format("expected {}", what) : fmt::format("expected {}, not {}", what, quoted(found)));
  }

  std::string_view rest_;
  std::optional<std::string> wrong_;
};

Begin begin(Words& words) {
  if (words.number("a version") != kVersion) words.fail(fmt::format("expected version {}", kVersion));
  Begin begin{words.text()};
  if (begin.analysis.empty()) words.fail("expected the name of an analysis");
  return begin;
}

Module module(Words& words) {
  Module module;
  module.begin = words.address("the first address");
  module.end = words.address("the last address");
  module.bias = words.address("the bias");
  if (module.end < module.begin) words.fail("expected an end that is not before the beginning");
  if (const std::string_view id = words.word(); id != online_log::kNoBuildId) module.build_id = id;
  module.path = words.text();
  return module;
}

ThreadBegin thread(Words& words) {
  ThreadBegin thread;
  thread.id = words.number<std::uint32_t>("a thread's number");
  thread.creator = words.number<std::uint32_t>("its creator's number");
  thread.system_id = words.number("its system number");
  thread.created = words.stack();
  return thread;
}

Race race(Words& words) {
  Race race;
  race.number = words.number("a race's number");
  if (race.number == 0) words.fail("expected a race's number from 1 on");
  race.observed = words.value<Finding>(online_log::kFindings) == Finding::Observed;
  race.count = words.number("how often it was seen");
  words.end();
  return race;
}

std::uint8_t access(Words& words, Race& race) {
  const bool now = words.value<Side>(online_log::kSides) == Side::Now;
  Access& access = now ? race.now : race.earlier;
  access.kind = words.value<AccessKind>(online_log::kAccessKinds);
  access.address = words.address("an address");
  access.size = words.number("a size");
  words.keyword(word::kThread);
  access.thread = words.number<std::uint32_t>("a thread's number");
  access.stack = words.stack();
  return now ? kNow : kEarlier;
}

void lock(Words& words, Race& race) {
  Access& access = words.value<Side>(online_log::kSides) == Side::Now ? race.now : race.earlier;
  HeldLock lock;
  lock.address = words.address("a lock's address");
  if (words.next() != online_log::kStack) lock.shared = words.value<LockMode>(online_log::kLockModes) == LockMode::Read;
  lock.acquired = words.stack();
  access.locks.push_back(std::move(lock));
}

Block block(Words& words) {
  Block block;
  block.heap = words.value<BlockKind>(online_log::kBlockKinds) == BlockKind::Heap;
  if (block.heap) {
    block.address = words.address("where the block begins");
    block.size = words.number("its size");
  }
  words.keyword(word::kThread);
  block.thread = words.number<std::uint32_t>("a thread's number");
  if (block.heap) {
    block.allocated = words.stack();
  } else {
    words.end();
  }
  return block;
}

/// Parses messages of one line; false if the word is unknown.
bool single(std::string_view first, Words& words, std::vector<Message>& messages) {
  if (first == word::kProcess) {
    const auto id = words.number("a process number");
    messages.emplace_back(Process{id, words.number("its parent's number")});
    words.end();
  } else if (first == word::kArgument) {
    messages.emplace_back(Argument{words.text()});
  } else if (first == word::kOptions) {
    messages.emplace_back(Options{words.text()});
  } else if (first == word::kSuppressions) {
    messages.emplace_back(OwnSuppressions{words.text()});
  } else if (first == word::kModule) {
    messages.emplace_back(module(words));
  } else if (first == word::kThread) {
    messages.emplace_back(thread(words));
  } else if (first == word::kName) {
    const auto id = words.number<std::uint32_t>("a thread's number");
    messages.emplace_back(ThreadName{id, words.text()});
  } else if (first == word::kRepeat) {
    const auto number = words.number("a race's number");
    messages.emplace_back(Repeat{number, words.number("how often it was seen")});
    words.end();
  } else if (first == word::kCounter) {
    const std::string_view name = words.word();
    messages.emplace_back(Counter{std::string(name), words.number("a value")});
    words.end();
  } else if (first == word::kMessage) {
    messages.emplace_back(Note{words.text(), true});
  } else if (first == word::kIncomplete) {
    messages.emplace_back(Note{words.text(), false});
  } else if (first == word::kExit) {
    messages.emplace_back(Exit{words.next().empty() ? 0 : words.number("a number")});
    words.end();
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::expected<void, InputError> LogReader::line(std::string_view text, std::vector<Message>& messages) {
  Words words(text);
  const std::size_t before = messages.size();
  const std::string_view first = words.word();
  if (number_ == 1 && first != word::kBegin) {
    words.fail(fmt::format("expected '{} {}' and an analysis, not {}", word::kBegin, kVersion, quoted(text)));
  } else if (race_) {
    if (first == word::kAccess) {
      const std::uint8_t side = access(words, *race_);
      if ((accesses_ & side) != 0) words.fail("expected one access now and one earlier");
      accesses_ |= side;
    } else if (first == word::kLock) {
      lock(words, *race_);
    } else if (first == word::kBlock) {
      race_->block = block(words);
    } else if (first == word::kEnd) {
      words.end();
      if (accesses_ != (kNow | kEarlier)) words.fail("expected both accesses before the end of the race");
      if (!words.wrong()) {
        messages.emplace_back(std::move(*race_));
        race_.reset();
      }
    } else {
      words.fail(fmt::format("expected {}, {}, {} or {}, not {}", word::kAccess, word::kLock, word::kBlock, word::kEnd,
                             quoted(text)));
    }
  } else if (first == word::kBegin) {
    messages.emplace_back(begin(words));
  } else if (first == word::kRace) {
    race_ = race(words);
    accesses_ = 0;
  } else if (!single(first, words, messages)) {
    words.fail(fmt::format("expected a message, not {}", quoted(text)));
  }
  if (!words.wrong()) return {};
  messages.resize(std::min(messages.size(), before));
  return std::unexpected(InputError{file_, std::to_string(number_), *words.wrong()});
}

std::expected<void, InputError> LogReader::read(std::string_view bytes, std::vector<Message>& messages) {
  while (!bytes.empty() && !failed_) {
    const auto end = bytes.find('\n');
    rest_.append(bytes.substr(0, end));
    if (rest_.size() > kLongestLine) {
      failed_ = InputError{file_, std::to_string(number_ + 1),
                           fmt::format("expected a line of at most {} bytes", kLongestLine)};
      break;
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    ++number_;
    if (auto ok = line(rest_, messages); !ok) failed_ = std::move(ok.error());
    rest_.clear();
  }
  if (failed_) return std::unexpected(*failed_);
  return {};
}

}  // namespace omen::online
