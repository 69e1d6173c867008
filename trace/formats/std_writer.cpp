#include "trace/formats/std_writer.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "trace/quote.hpp"

namespace omen {
namespace {

constexpr std::size_t kFlushBytes = 64 * 1024;

enum class Role : std::uint8_t { Thread, Operand, Location };

/// A thread's name has the same restrictions as an operand of fork and join.
Role role_of(OperandKind kind) {
  return kind == OperandKind::Thread ? Role::Thread : Role::Operand;
}

/// True if the byte at `i` would read back as something else.
bool breaks(std::string_view name, std::size_t i, Role role) {
  switch (name[i]) {
    case '|':
    case '\n':
      return true;
    case '(':
    case ')':
      return role != Role::Location;
    case '\r':  // at the end of a line it is part of the line's end
      return role == Role::Location && i + 1 == name.size();
    case '#':  // at the start of a line it begins a comment
      return role == Role::Thread && name.find_first_not_of(" \t") == i;
    default:
      return false;
  }
}

std::optional<std::size_t> first_break(std::string_view name, Role role) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (breaks(name, i, role)) return i;
  }
  return std::nullopt;
}

void append_escaped(std::string& out, std::string_view name, Role role) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '%' || breaks(name, i, role)) {
      const auto byte = static_cast<unsigned char>(name[i]);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += name[i];
    }
  }
}

}  // namespace

StdWriter::StdWriter(std::unique_ptr<ByteSink> bytes, StdNames policy, NumberedLocation numbered)
    : bytes_(std::move(bytes)), policy_(policy), numbered_(std::move(numbered)) {
  buffer_.reserve(kFlushBytes + 1024);
}

std::expected<void, InputError> StdWriter::check_new_names(const Names& names) {
  const auto check = [&](const NameTable& table, std::size_t& checked, Role role) -> std::expected<void, InputError> {
    for (; checked < table.size(); ++checked) {
      const std::string& name = table[static_cast<std::uint32_t>(checked)];
      if (const auto at = first_break(name, role)) {
        return std::unexpected(InputError{bytes_->name(), "",
                                          "the name " + quoted(name) + " cannot be written as STD: it has " +
                                              quoted(std::string_view(name).substr(*at, 1))});
      }
    }
    return {};
  };
  for (std::size_t i = 0; i < kOperandKindCount; ++i) {
    const auto kind = static_cast<OperandKind>(i);
    if (auto ok = check(names.of(kind), checked_[i], role_of(kind)); !ok) return ok;
  }
  return check(names.locations(), checked_[kOperandKindCount], Role::Location);
}

std::expected<void, InputError> StdWriter::write(std::span<const Event> events, const Names& names) {
  if (policy_ == StdNames::Refuse) {
    if (auto ok = check_new_names(names); !ok) return ok;
  }
  const auto append = [&](const std::string& name, Role role) {
    if (policy_ == StdNames::Escape) {
      append_escaped(buffer_, name, role);
    } else {
      buffer_ += name;
    }
  };
  for (const Event& event : events) {
    const OpTraits& op = traits(event.op);
    append(names.of(event.thread), Role::Thread);
    buffer_ += '|';
    buffer_ += op.name;
    append_suffix(buffer_, event);
    if (op.operand != OperandKind::None) {
      buffer_ += '(';
      append(names.of(op.operand)[event.operand], role_of(op.operand));
      buffer_ += ')';
    }
    buffer_ += '|';
    const auto location = static_cast<std::uint32_t>(event.location);
    if ((location & kNumericLocation) != 0 && numbered_) {
      append_escaped(buffer_, numbered_(event.location), Role::Location);
    } else if ((location & kNumericLocation) != 0) {
      char digits[10];
      const auto end = std::to_chars(digits, digits + sizeof digits, location & ~kNumericLocation).ptr;
      buffer_.append(digits, end);
    } else {
      append(names.locations()[location], Role::Location);
    }
    buffer_ += '\n';
    if (buffer_.size() >= kFlushBytes) {
      if (auto ok = flush(); !ok) return ok;
    }
  }
  return {};
}

std::expected<void, InputError> StdWriter::flush() {
  auto ok = bytes_->write(buffer_);
  buffer_.clear();
  return ok;
}

std::expected<void, InputError> StdWriter::finish(const Names&) {
  if (auto ok = flush(); !ok) return ok;
  return bytes_->commit();
}

}  // namespace omen
