#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "trace/quote.hpp"
#include "trace/values/text_cursor.hpp"
#include "trace/values/value_format.hpp"
#include "trace/values/values_check.hpp"

namespace omen::values {
namespace {

using Problems = std::unexpected<std::string>;

constexpr std::size_t kMaxNesting = 500;  ///< of parentheses: readers of expressions recurse

class Reader {
 public:
  ValueTrace trace;
  std::vector<std::size_t> lines;  ///< of each event, then of each path

  /// An error if the text may not end here.
  std::expected<void, std::string> end() const {
    if (trace.paths.size() == paths_) return {};
    return Problems("expected " + std::to_string(paths_) + " paths, not " + std::to_string(trace.paths.size()));
  }

  std::expected<void, std::string> line(std::string_view text) {
    TextCursor cursor(text);
    if (text.find('|') == std::string_view::npos) {
      if (cursor.take("cell ")) return cell(cursor, OperandKind::Variable);
      if (cursor.take("atomic ")) return cell(cursor, OperandKind::Atomic);
      if (cursor.take("paths ")) return paths(cursor);
      if (cursor.take("path ")) return path(cursor);
      return Problems("expected 'cell NAME WIDTH = INITIAL' or THREAD|ACT|LOCATION, not " + quoted(text));
    }
    const std::size_t first = text.find('|');
    const std::size_t second = text.find('|', first + 1);
    if (second == std::string_view::npos) return Problems("expected THREAD|ACT|LOCATION with two '|'");
    const std::string_view thread = text.substr(0, first);
    if (!is_name(thread)) return Problems("expected a thread's name without blanks, not " + quoted(thread));
    const std::string_view where = text.substr(second + 1);
    if (where.find('|') != std::string_view::npos || where.size() > kMaxNameBytes) {
      return Problems("expected a location without '|', of at most 65535 bytes");
    }
    event_ = {};
    event_.thread = trace.thread(thread);
    event_.location = trace.location(where);
    if (auto ok = act(text.substr(first + 1, second - first - 1)); !ok) return ok;
    if (trace.carries_paths && trace.paths.empty())
      return Problems("expected 'path EVENT' before the events of a path");
    (trace.carries_paths ? trace.paths.back().path.events : trace.events).push_back(event_);
    return {};
  }

 private:
  std::expected<void, std::string> paths(TextCursor& cursor) {
    const auto count = parse_number(cursor.word());
    if (!count || !cursor.at_end() || trace.carries_paths) {
      return Problems("expected 'paths COUNT', once, behind all events");
    }
    trace.carries_paths = true;
    paths_ = *count;
    return {};
  }

  std::expected<void, std::string> path(TextCursor& cursor) {
    const auto branch = parse_number(cursor.word());
    const bool ends = cursor.take("ends");
    const std::size_t least = trace.paths.empty() ? 0 : trace.paths.back().branch;
    if (!trace.carries_paths || !branch || !cursor.at_end() || *branch < least || *branch >= trace.size() ||
        trace.paths.size() == paths_) {
      return Problems("expected 'path EVENT' or 'path EVENT ends', in the order of the events, behind 'paths COUNT'");
    }
    trace.paths.push_back({static_cast<std::size_t>(*branch), {.events = {}, .complete = ends}});
    return {};
  }

  static bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes && name.find_first_of(" \t|()") == std::string_view::npos;
  }

  std::expected<void, std::string> cell(TextCursor& cursor, OperandKind kind) {
    const std::string_view name = cursor.word();
    if (is_name(name) && trace.names.of(kind).find(name)) {
      return Problems("expected each cell once; " + quoted(name) + " is there already");
    }
    const auto add = [&](Width width, std::uint64_t initial) {
      kind == OperandKind::Atomic ? static_cast<void>(trace.atomic(name, width, initial))
                                  : static_cast<void>(trace.cell(name, width, initial));
    };
    if (is_name(name) && cursor.take("opaque")) {
      if (!cursor.at_end()) return Problems("expected nothing more, not " + quoted(cursor.rest()));
      add(0, 0);
      return {};
    }
    const auto width = parse_number(cursor.word());
    if (!is_name(name) || !width || !is_width(*width) || !cursor.take("=")) {
      return Problems("expected 'cell NAME WIDTH = INITIAL' with a width of 1, 8, 16, 32 or 64");
    }
    TextCursor ahead = cursor;
    if (ahead.word() == "?" && ahead.at_end()) {
      add(static_cast<Width>(*width), 0);
      (kind == OperandKind::Atomic ? trace.atomics : trace.cells).back().initial_known = false;
      return {};
    }
    const auto initial = parse_bits(cursor.word(), static_cast<Width>(*width));
    if (!initial || !cursor.at_end()) return Problems("expected an initial value that has the cell's width");
    add(static_cast<Width>(*width), *initial);
    return {};
  }

  std::expected<void, std::string> act(std::string_view text) {
    TextCursor cursor(text);
    if (cursor.rest().starts_with('%')) return definition(cursor);
    const std::string_view verb = cursor.word();
    if (const auto act = memory_act(verb)) {
      event_.act = *act;
      if (auto ok = known_cell(cursor); !ok) return ok;
      if (!writes_memory(event_.act) || event_.act == Act::AtomicRmw || !cursor.take("=")) return nothing_more(cursor);
      return expression_and_result(cursor);
    }
    if (verb == "branch" || verb == "fix") {
      event_.act = verb == "fix" ? Act::Fix : Act::Branch;
      return expression_and_result(cursor);
    }
    return synchronisation(verb, cursor);
  }

  std::expected<void, std::string> definition(TextCursor& cursor) {
    const std::string name(cursor.word());
    if (!cursor.take("=")) return Problems("expected '%NAME = read CELL' or '%NAME = EXPRESSION'");
    Width width = 0;
    TextCursor ahead = cursor;
    if (const auto act = memory_act(ahead.word()); act && reads_memory(*act)) {
      cursor = ahead;
      event_.act = *act;
      if (auto ok = known_cell(cursor); !ok) return ok;
      if (trace.cell_of(event_).is_opaque()) return Problems("expected a cell that is not opaque");
      width = trace.cell_of(event_).width;
      if (event_.act == Act::AtomicRmw) return exchange(cursor, name, width);
      if (auto ok = result(cursor, width); !ok) return ok;
    } else {
      event_.act = Act::Assign;
      if (auto ok = expression_and_result(cursor); !ok) return ok;
      width = trace.expressions.width(event_.expr);
    }
    return define(name, width);
  }

  std::expected<void, std::string> define(const std::string& name, Width width) {
    if (values_.contains(name)) return Problems("expected one definition of " + quoted(name) + ", this is the second");
    event_.value = trace.expressions.new_value(width);
    values_.emplace(name, event_.value);
    return {};
  }

  /// Parses the rest after `%v = rmw CELL`: `-> VALUE = EXPRESSION -> VALUE`, in which the expression may use %v.
  std::expected<void, std::string> exchange(TextCursor& cursor, const std::string& name, Width width) {
    const std::size_t end = cursor.rest().find('=');
    if (end == std::string_view::npos) return Problems("expected '%NAME = rmw CELL -> VALUE = EXPRESSION -> VALUE'");
    TextCursor loaded(cursor.rest().substr(0, end));
    if (auto ok = result(loaded, width); !ok) return ok;
    const std::uint64_t recorded = event_.recorded;
    if (auto ok = define(name, width); !ok) return ok;
    TextCursor rest(cursor.rest().substr(end + 1));
    if (auto ok = expression_and_result(rest); !ok) return ok;
    event_.stored = std::exchange(event_.recorded, recorded);
    return {};
  }

  static std::optional<Act> memory_act(std::string_view verb) {
    if (verb == "read") return Act::Read;
    if (verb == "write") return Act::Write;
    if (verb == "load") return Act::AtomicLoad;
    if (verb == "store") return Act::AtomicStore;
    if (verb == "rmw") return Act::AtomicRmw;
    return std::nullopt;
  }

  static std::expected<void, std::string> nothing_more(TextCursor& cursor) {
    if (cursor.at_end()) return {};
    return Problems("expected nothing more, not " + quoted(cursor.rest()));
  }

  std::expected<void, std::string> known_cell(TextCursor& cursor) {
    const std::string_view name = cursor.word();
    const auto id = trace.names.of(is_atomic(event_.act) ? OperandKind::Atomic : OperandKind::Variable).find(name);
    if (!id) return Problems("expected a cell that was declared, not " + quoted(name));
    event_.operand = *id;
    return {};
  }

  std::expected<void, std::string> expression_and_result(TextCursor& cursor) {
    auto parsed = expression(cursor, 0);
    if (!parsed) return Problems(std::move(parsed.error()));
    event_.expr = *parsed;
    return result(cursor, trace.expressions.width(*parsed));
  }

  std::expected<void, std::string> result(TextCursor& cursor, Width width) {
    if (!cursor.take("->")) return Problems("expected '-> VALUE' next, not " + quoted(cursor.rest()));
    const std::string_view text = cursor.word();
    const auto bits = parse_bits(text, width);
    if (!bits) return Problems("expected a value of " + std::to_string(width) + " bits, not " + quoted(text));
    if (!cursor.at_end()) return Problems("expected nothing more after the value, not " + quoted(cursor.rest()));
    event_.recorded = *bits;
    return {};
  }

  std::expected<void, std::string> synchronisation(std::string_view verb, TextCursor& cursor) {
    const auto* const found =
        std::ranges::find_if(kSynchronisation, [&](const auto& entry) { return entry.first == verb; });
    if (found == kSynchronisation.end()) return Problems("expected an act, not " + quoted(verb));
    event_.act = found->second;
    const OperandKind kind = omen::traits(op_of(event_.act)).operand;
    const bool opened = cursor.take("(");
    if (kind != OperandKind::None) {
      const std::string_view name = cursor.word();
      if (!opened || !is_name(name)) return Problems("expected " + std::string(verb) + "(NAME)");
      if (kind == OperandKind::Variable && !trace.names.of(kind).find(name)) {
        return Problems("expected a cell that was declared, not " + quoted(name));
      }
      event_.operand = trace.names.of(kind).intern(name);
    }
    if (opened && !cursor.take(")")) return Problems("expected ')' after the operand");
    if (!cursor.at_end()) return Problems("expected nothing more, not " + quoted(cursor.rest()));
    return {};
  }

  std::expected<ExprId, std::string> expression(TextCursor& cursor, std::size_t depth) {
    if (depth > kMaxNesting) return Problems("expected at most 500 parentheses inside each other");
    if (cursor.take("(")) return operation(cursor, depth);
    const std::string_view word = cursor.word();
    if (word.starts_with('%')) {
      const auto found = values_.find(std::string(word));
      if (found == values_.end()) return Problems("expected a value that was defined before, not " + quoted(word));
      return trace.expressions.value(found->second);
    }
    const std::size_t colon = word.find(':');
    const auto width = colon == std::string_view::npos ? std::nullopt : parse_number(word.substr(colon + 1));
    if (!width || !is_width(*width)) return Problems("expected %VALUE, NUMBER:WIDTH or (OP …), not " + quoted(word));
    const auto bits = parse_bits(word.substr(0, colon), static_cast<Width>(*width));
    if (!bits) return Problems("expected a number of " + std::to_string(*width) + " bits, not " + quoted(word));
    return trace.expressions.constant(static_cast<Width>(*width), *bits);
  }

  std::expected<ExprId, std::string> operation(TextCursor& cursor, std::size_t depth) {
    const std::string_view word = cursor.word();
    const std::size_t letters = std::min(word.find_first_of("0123456789"), word.size());
    const auto* const found = std::ranges::find(kExprTraits, word.substr(0, letters), &ExprTraits::name);
    const bool resizes =
        found != kExprTraits.end() && (found->shape == ExprShape::Extend || found->shape == ExprShape::Cut);
    const auto width = resizes ? parse_number(word.substr(letters)) : std::optional<std::uint64_t>(1);
    if (found == kExprTraits.end() || found->shape == ExprShape::Leaf || !width || !is_width(*width) ||
        (!resizes && letters != word.size())) {
      return Problems("expected an operator, not " + quoted(word));
    }
    std::array<ExprId, 3> of{kNoExpr, kNoExpr, kNoExpr};
    for (std::size_t i = 0; i < operands(found->op); ++i) {
      auto operand = expression(cursor, depth + 1);
      if (!operand) return operand;
      of[i] = *operand;
    }
    if (!cursor.take(")")) return Problems("expected ')' after the operands of " + quoted(word));
    Expressions& all = trace.expressions;
    if (!all.fits(found->op, static_cast<Width>(*width), of[0], of[1], of[2])) {
      return Problems("expected operands whose widths fit " + quoted(word));
    }
    switch (found->shape) {
      case ExprShape::Unary:
        return all.unary(found->op, of[0]);
      case ExprShape::Extend:
      case ExprShape::Cut:
        return all.resize(found->op, static_cast<Width>(*width), of[0]);
      case ExprShape::Choose:
        return all.choose(of[0], of[1], of[2]);
      default:
        return all.binary(found->op, of[0], of[1]);
    }
  }

  static constexpr std::array<std::pair<std::string_view, Act>, 15> kSynchronisation{{
      {"acq", Act::Acquire},
      {"rel", Act::Release},
      {"fork", Act::Fork},
      {"join", Act::Join},
      {"begin", Act::Begin},
      {"end", Act::End},
      {"racq", Act::AcquireShared},
      {"rrel", Act::ReleaseShared},
      {"wait", Act::Wait},
      {"wake", Act::Wake},
      {"arrive", Act::BarrierArrive},
      {"leave", Act::BarrierLeave},
      {"fence", Act::Fence},
      {"alloc", Act::Allocate},
      {"free", Act::Free},
  }};

  ValueEvent event_;         ///< the current event
  std::uint64_t paths_ = 0;  ///< the announced number
  std::unordered_map<std::string, ValueId> values_;
};

}  // namespace

std::expected<ValueTrace, InputError> parse_values(std::string_view text, const std::string& name) {
  Reader reader;
  const auto error = [&](std::size_t line, std::string message) {
    return std::unexpected(InputError{name, std::to_string(line), std::move(message)});
  };
  bool titled = false;
  std::size_t last = 1;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    TextCursor cursor(line);
    if (cursor.at_end() || cursor.rest().starts_with('#')) continue;
    if (!titled) {
      if (!cursor.take(kValueMagic) || cursor.word() != "1" || !cursor.at_end()) {
        return error(number, "expected 'omen-values 1' as the first line");
      }
      titled = true;
      continue;
    }
    if (auto ok = reader.line(cursor.rest()); !ok) return error(number, std::move(ok.error()));
    if (reader.trace.size() + reader.trace.paths.size() > reader.lines.size()) reader.lines.push_back(number);
    last = number;
  }
  if (!titled) return error(1, "expected 'omen-values 1' as the first line");
  if (auto ok = reader.end(); !ok) return error(last, std::move(ok.error()));
  if (auto ok = check(reader.trace); !ok) {
    const std::size_t line = ok.error().event < reader.lines.size() ? reader.lines[ok.error().event] : 1;
    return error(line, std::move(ok.error().message));
  }
  return std::move(reader.trace);
}

}  // namespace omen::values
