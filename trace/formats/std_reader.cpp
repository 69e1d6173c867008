#include "trace/formats/std_reader.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "trace/quote.hpp"

namespace omen {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr std::size_t kBlockEvents = 4096;  // 64 KiB of events: consumers find them in cache

/// Up to eight characters as one number, so that recognising an operation compares numbers.
constexpr std::uint64_t packed(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

constexpr auto kPackedOps = [] {
  std::array<std::uint64_t, kOpCount> all{};
  for (std::size_t i = 0; i < kOpCount; ++i) all[i] = packed(kOpTraits[i].name);
  return all;
}();
static_assert([] {
  for (const OpTraits& op : kOpTraits) {
    if (op.name.empty() || op.name.size() > 8) return false;
  }
  return true;
}());

std::optional<Op> find_op(std::string_view text) {
  if (text.empty() || text.size() > 8) return std::nullopt;
  const std::uint64_t wanted = packed(text);
  for (std::size_t i = 0; i < kOpCount; ++i) {
    if (kPackedOps[i] == wanted) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::optional<MemoryOrder> find_order(std::string_view text) {
  for (std::size_t i = 0; i < kMemoryOrderCount; ++i) {
    if (kMemoryOrderNames[i] == text) return static_cast<MemoryOrder>(i);
  }
  return std::nullopt;
}

constexpr std::string_view noun(OperandKind kind) {
  constexpr std::array<std::string_view, kOperandKindCount> kNouns{"nothing", "variable", "lock",
                                                                   "thread",  "barrier",  "atomic"};
  return kNouns[static_cast<std::size_t>(kind)];
}

std::string_view between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

bool begins_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

constexpr bool ends_name(char c) {
  return c == '|' || c == '(' || c == ')';
}

}  // namespace

StdReader::StdReader(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)), buffer_(kBufferBytes) {
  block_.reserve(kBlockEvents);
  lines_.reserve(kBlockEvents);
}

std::expected<bool, InputError> StdReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMaxLineBytes) {
      return std::unexpected(InputError{bytes_->name(), std::to_string(line_ + 1),
                                        "expected a line of less than 1 MiB, not one that begins " +
                                            quoted(between(buffer_.data(), buffer_.data() + end_))});
    }
    buffer_.resize(buffer_.size() * 2);
  }
  auto count = bytes_->read(std::span(buffer_).subspan(end_));
  if (!count) return std::unexpected(std::move(count.error()));
  end_ += *count;
  consumed_ += *count;
  return *count != 0;
}

std::expected<std::span<Event>, InputError> StdReader::next() {
  block_.clear();
  lines_.clear();
  if (pending_) return std::unexpected(std::move(*std::exchange(pending_, std::nullopt)));

  // Events before an error are returned first, so that a checker of events finds the first error of the file.
  const auto stop = [&](InputError error) -> std::expected<std::span<Event>, InputError> {
    at_end_ = true;
    begin_ = end_;
    if (block_.empty()) return std::unexpected(std::move(error));
    pending_ = std::move(error);
    return std::span(block_);
  };

  while (block_.size() < kBlockEvents) {
    const char* const start = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const char* line_end = newline;
    if (newline == nullptr) {
      if (!at_end_) {
        auto more = refill();
        if (!more) return stop(std::move(more.error()));
        at_end_ = !*more;
        continue;
      }
      if (begin_ == end_) break;
      line_end = buffer_.data() + end_;  // the last line needs no line feed
    }
    ++line_;
    begin_ = static_cast<std::size_t>(line_end - buffer_.data()) + (newline != nullptr ? 1 : 0);
    Event event;
    switch (parse(start, line_end, event)) {
      [[likely]] case Line::Event:
        block_.push_back(event);
        lines_.push_back(line_);
        break;
      case Line::Nothing:
        break;
      case Line::Bad:
        return stop(InputError{bytes_->name(), std::to_string(line_), std::move(complaint_)});
    }
  }
  return std::span(block_);
}

StdReader::Line StdReader::bad(std::string what) {
  complaint_ = std::move(what);
  return Line::Bad;
}

StdReader::Line StdReader::parse(const char* at, const char* end, Event& event) {
  while (end != at && end[-1] == '\r') --end;  // all of them, because a location that ends so could not be written back
  const auto rest = [&] { return at == end ? std::string("the end of the line") : quoted(between(at, end)); };

  const char* const thread = at;
  while (at != end && !ends_name(*at)) ++at;
  const std::string_view thread_name = between(thread, at);
  // Blank lines and comments begin with one of these characters.
  if (thread == end || *thread == ' ' || *thread == '\t' || *thread == '#') [[unlikely]] {
    const bool blank = at == end && thread_name.find_first_not_of(" \t") == std::string_view::npos;
    if (blank || begins_comment(thread_name)) return Line::Nothing;
  }
  if (at == end || *at != '|') {
    at = thread;
    return bad("expected THREAD|OP(OPERAND)|LOCATION, not " + rest());
  }
  if (thread_name.empty()) return bad("expected the name of a thread before " + rest());
  ++at;

  const char* const operation = at;
  while (at != end && !ends_name(*at)) ++at;
  if (!parse_operation(between(operation, at), event)) return Line::Bad;
  const OpTraits& op = traits(event.op);

  if (op.operand != OperandKind::None) {
    if (at == end || *at != '(') {
      return bad("expected the " + std::string(noun(op.operand)) + " of " + std::string(op.name) +
                 " in parentheses, not " + rest());
    }
    const char* const operand = ++at;
    while (at != end && !ends_name(*at)) ++at;
    if (at == end || *at != ')') return bad("expected ')' after " + quoted(between(operand, at)) + ", not " + rest());
    const std::string_view name = between(operand, at);
    if (name.empty()) return bad("expected the name of a " + std::string(noun(op.operand)) + " before " + rest());
    if (name.size() > kMaxNameBytes) return bad("expected a name of at most 65535 bytes, not " + quoted(name));
    if (op.operand == OperandKind::Thread && begins_comment(name)) [[unlikely]] {
      return bad("expected a thread whose own lines are not comments, not " + quoted(name));
    }
    event.operand = names_.of(op.operand).intern(name);
    ++at;
  } else if (at != end && *at == '(') {
    if (end - at < 2 || at[1] != ')')
      return bad("expected no operand after " + std::string(op.name) + ", not " + rest());
    at += 2;
  }

  if (at == end || *at != '|') return bad("expected '|' and a location after the operation, not " + rest());
  const std::string_view location = between(++at, end);
  if (const std::size_t bar = location.find('|'); bar != std::string_view::npos) {
    at += bar;
    return bad("expected the line to end after the location " + quoted(location.substr(0, bar)) + ", not " + rest());
  }
  if (location.size() > kMaxNameBytes)
    return bad("expected a location of at most 65535 bytes, not " + quoted(location));
  if (thread_name.size() > kMaxNameBytes)
    return bad("expected a name of at most 65535 bytes, not " + quoted(thread_name));
  // A thread usually has several events in a row.
  if (thread_name != last_thread_name_) {
    last_thread_ = ThreadId{names_.of(OperandKind::Thread).intern(thread_name)};
    last_thread_name_ = names_.of(last_thread_);
  }
  event.thread = last_thread_;
  event.location = names_.intern_location(location);
  return Line::Event;
}

bool StdReader::parse_operation(std::string_view text, Event& event) {
  // Most events are plain accesses.
  if (text == "r") {
    event.op = Op::Read;
    return true;
  }
  if (text == "w") {
    event.op = Op::Write;
    return true;
  }
  constexpr std::string_view kUpdate = ".update";
  static_assert(kUpdate.substr(1) == kUpdateName);
  const std::string_view whole = text;
  event.update = text.ends_with(kUpdate);
  if (event.update) text.remove_suffix(kUpdate.size());
  const std::size_t dot = text.find('.');
  const auto op = find_op(text.substr(0, dot));
  if (op && event.update && !can_be_update(*op)) {
    bad("expected a read, a write or a read-modify-write before .update, not " + quoted(whole));
    return false;
  }
  if (!op) {
    bad("expected an operation (r, w, acq, rel, fork, join, begin, end, …), not " + quoted(text));
    return false;
  }
  event.op = *op;
  if (!traits(*op).ordered) {
    if (dot == std::string_view::npos) return true;
    if ((*op == Op::Acquire || *op == Op::AcquireShared) && text.substr(dot) == ".try") {
      event.order = kAttempt;
      return true;
    }
    bad("expected no memory order after " + std::string(traits(*op).name) + ", not " + quoted(text.substr(dot)));
    return false;
  }
  const std::string_view order_text = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
  const auto order = find_order(order_text);
  if (!order || !order_fits(*op, *order)) {
    std::string fitting;
    for (std::size_t i = 0; i < kMemoryOrderCount; ++i) {
      if (!order_fits(*op, static_cast<MemoryOrder>(i))) continue;
      fitting += fitting.empty() ? "" : ", ";
      fitting += kMemoryOrderNames[i];
    }
    bad("expected a memory order for " + std::string(traits(*op).name) + " (" + fitting + "), not " + quoted(text));
    return false;
  }
  event.order = *order;
  return true;
}

InputError StdReader::error_at(std::size_t i, std::string message) const {
  return {bytes_->name(), std::to_string(lines_[i]), std::move(message)};
}

double StdReader::progress() const {
  const auto size = bytes_->size();
  if (!size) return -1;
  const auto done = static_cast<double>(consumed_ - (end_ - begin_));
  return *size == 0 ? 1 : done / static_cast<double>(*size);
}

}  // namespace omen
