#include "report/text_parts.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "report/frames.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

/// Number of digits of a build id that are shown.
constexpr std::size_t kBuildIdDigits = 12;
constexpr std::size_t kWidestLabel = 24;
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kSnippetWidth = 101;
constexpr std::size_t kLeastSnippet = 40;
constexpr std::size_t kTabStop = 8;
constexpr std::size_t kRemarkIndent = 4;

/// The width of the text in columns, if every character takes one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The index of the byte at which this column begins; of a shorter text, its end.
std::size_t byte_of_column(std::string_view text, std::size_t column) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && column-- == 0) return at;
  }
  return text.size();
}

/// A source line as displayed: tabs become blanks, control characters are escaped.
std::string as_seen(std::string_view line) {
  std::string out;
  std::string plain;
  for (const char c : line) {
    if (c != '\t') {
      plain += c;
      continue;
    }
    out += on_one_line(plain);
    plain.clear();
    out.append(kTabStop - width_of(out) % kTabStop, ' ');
  }
  return out + on_one_line(plain);
}

}  // namespace

std::string TextParts::painted(Paint paint, std::string_view text) const {
  constexpr std::array<std::string_view, 4> kCodes{"1;31", "1", "1;32", "2"};
  if (!style_.colour || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(paint)], text);
}

const Thread* TextParts::thread(std::uint32_t id) const {
  const auto found = std::ranges::find(threads_, id, &Thread::id);
  return found == threads_.end() ? nullptr : &*found;
}

std::string TextParts::who(std::uint32_t id, bool with_name) const {
  const Thread* const known = thread(id);
  if (known == nullptr) return fmt::format("thread T{}", id);
  if (known->main) return "main thread";
  std::string text = fmt::format("thread {}", on_one_line(known->label));
  if (with_name && !known->name.empty()) text += fmt::format(" {}", quoted(known->name));
  return text;
}

std::string TextParts::label(std::optional<std::uint32_t> id) const {
  if (!id) return "...";
  const Thread* const known = thread(*id);
  return known == nullptr ? fmt::format("T{}", *id) : on_one_line(known->label);
}

std::string TextParts::path(const std::string& file) const {
  const std::string& prefix = style_.strip_path_prefix;
  const auto at = prefix.empty() ? std::string::npos : file.find(prefix);
  if (at != std::string::npos) return on_one_line(file.substr(at + prefix.size()));
  return on_one_line(relative_path(file, style_.from));
}

std::string TextParts::position(const std::string& file, std::uint32_t line, std::uint32_t column) const {
  return linked(style_.links, file, line, plain_position(file, line, column));
}

std::string TextParts::plain_position(const std::string& file, std::uint32_t line, std::uint32_t column) const {
  std::string text = path(file);
  if (line != 0) text += fmt::format(":{}", line);
  if (line != 0 && column != 0) text += fmt::format(":{}", column);
  return text;
}

std::size_t TextParts::width() const {
  return style_.columns == 0 ? std::numeric_limits<std::size_t>::max() : style_.columns;
}

void TextParts::frame(const Frame& frame, std::size_t number) {
  std::string line = fmt::format("    #{}", number);
  if (!frame.function.empty() || !frame.has_source()) {
    const std::string name = style_.full_stacks ? frame.function : short_name(frame);
    line += fmt::format(" {}", name.empty() ? "<null>" : on_one_line(name));
  }
  std::size_t columns = width_of(line);
  if (frame.has_source()) {
    columns += 1 + width_of(plain_position(frame.file, frame.line, frame.column));
    line += " " + position(frame.file, frame.line, frame.column);
  }
  // Left out on a narrow terminal: the source position contains the same information.
  const auto add_where_it_fits = [&](const std::string& text) {
    columns += width_of(text);
    if (columns <= width()) line += text;
  };
  if (!frame.module.empty()) {
    const std::string module = fmt::format(" ({}+{:#x})", on_one_line(base_name(frame.module)), frame.offset);
    if (frame.has_source()) {
      add_where_it_fits(module);
    } else {
      columns += width_of(module);
      line += module;
    }
    const std::string_view id = frame.build_id;
    if (!id.empty()) add_where_it_fits(fmt::format(" (BuildId: {})", on_one_line(id.substr(0, kBuildIdDigits))));
  } else if (frame.offset != 0) {
    line += fmt::format(" ({:#x})", frame.offset);
  }
  add("{}\n", is_system(frame) ? painted(Paint::Quiet, line) : line);
}

void TextParts::snippet(const Frame& frame) {
  if (!style_.sources) return;
  const auto text = style_.sources->line(frame.file, frame.line);
  if (!text) return;
  std::string line = as_seen(*text);
  const bool has_column = frame.column != 0 && frame.column <= text->size();
  const std::size_t column = has_column ? width_of(as_seen(text->substr(0, frame.column - 1))) : 0;
  const std::string number = std::to_string(frame.line);
  const std::size_t before = 6 + number.size() + 3;  // columns before the source line
  const std::size_t room = width() < before + kLeastSnippet ? kLeastSnippet : std::min(kSnippetWidth, width() - before);
  // Of a long line, shows the part around the mark.
  const std::size_t begin = column < room ? 0 : column - room / 2;
  if (begin != 0) line = "…" + line.substr(byte_of_column(line, begin + 1));
  if (width_of(line) > room) line = line.substr(0, byte_of_column(line, room - 1)) + "…";
  add("      {} | {}\n", painted(Paint::Quiet, number), line);
  if (!has_column) return;
  add("      {:{}} | {:{}}{}\n", "", number.size(), "", column - begin, painted(Paint::Mark, "^"));
}

void TextParts::stack(const Stack& frames, Role role) {
  if (frames.empty()) out_ += "    [no stack is known]\n";
  const Frame* const own = role == Role::Other ? nullptr : own_place(frames);
  const auto one = [&](std::size_t i) {
    frame(frames[i], i);
    if (&frames[i] == own) snippet(frames[i]);
  };
  if (style_.full_stacks) {
    for (std::size_t i = 0; i < frames.size(); ++i) one(i);
  } else {
    for (const FrameRun& run : fold(frames, role == Role::Access ? Innermost::Alone : Innermost::AsAll)) {
      if (run.folded()) {
        add("{}\n", painted(Paint::Quiet, fmt::format("    #{}–#{} {}", run.first, run.last, on_one_line(run.label))));
      } else {
        one(run.first);
      }
    }
  }
  out_ += "\n";
}

void TextParts::place(const Frame* frame) {
  if (frame == nullptr) return;
  if (frame->has_source()) {
    add(" {}", position(frame->file, frame->line, frame->column));
  } else if (!frame->module.empty()) {
    add(" ({}+{:#x})", on_one_line(frame->module), frame->offset);
  }
  if (!frame->function.empty()) add(" in {}", on_one_line(style_.full_stacks ? frame->function : short_name(*frame)));
}

void TextParts::steps(const std::vector<ScheduleStep>& all, std::string_view mark) {
  std::size_t widest = 0;
  for (const ScheduleStep& step : all) widest = std::max(widest, std::min(width_of(label(step.thread)), kWidestLabel));
  const Margins margins{.indent = 4 + widest + 2, .limit = width()};
  for (const ScheduleStep& step : all) {
    const std::string who = fmt::format("    {:<{}}  ", label(step.thread), widest);
    out_ += who;
    std::size_t column = words(on_one_line(step.text), width_of(who), margins);
    if (step.kind != StepKind::Run && !step.file.empty()) {  // stacks show the full paths
      const std::string place = fmt::format("{}:{}", on_one_line(base_name(step.file)), step.line);
      column = words("at", column, margins);
      column = word(linked(style_.links, step.file, step.line, place), width_of(place), column, margins);
    } else if (step.kind != StepKind::Run && !step.function.empty()) {
      column = words("in", column, margins);
      const std::string function = on_one_line(without_arguments(step.function));
      column = word(function, width_of(function), column, margins);
    }
    if (step.kind == StepKind::Access) {
      const std::string arrow = fmt::format("<-- {}", mark);
      word("  " + painted(Paint::Alarm, arrow), 2 + width_of(arrow), column, margins);
    }
    out_ += "\n";
  }
}

std::size_t TextParts::word(std::string_view text, std::size_t its_width, std::size_t column, Margins margins) {
  const bool is_first = out_.empty() || out_.ends_with(' ') || out_.ends_with('\n');
  const std::size_t blank = is_first ? 0 : 1;
  if (column > margins.indent && column + blank + its_width > margins.limit) {
    out_ += "\n";
    out_.append(margins.indent, ' ');
    column = margins.indent;
  } else {
    out_.append(blank, ' ');
    column += blank;
  }
  out_ += text;
  return column + its_width;
}

std::size_t TextParts::words(std::string_view text, std::size_t column, Margins margins) {
  while (!text.empty()) {
    // If the rest fits, its blanks are kept.
    const bool fits = margins.limit > column && width_of(text) < margins.limit - column;
    const std::size_t end = fits ? text.size() : std::min(text.find(' '), text.size());
    column = word(text.substr(0, end), width_of(text.substr(0, end)), column, margins);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return column;
}

void TextParts::remark(std::string_view heading, std::string_view text) {
  add("  {} ", painted(Paint::Heading, heading));
  words(text, 3 + width_of(heading), {.indent = kRemarkIndent, .limit = width()});
  out_ += "\n";
}

void TextParts::sentence(std::string_view text) {
  out_ += "  ";
  words(text, 2, {.indent = kRemarkIndent, .limit = width()});
  out_ += "\n";
}

void TextParts::title(std::string_view what, std::string_view certainty) {
  add("  {}:", painted(Paint::Heading, what));
  word(certainty, width_of(certainty), 2 + width_of(what) + 1, {.indent = kRemarkIndent, .limit = width()});
  out_ += "\n";
}

void TextParts::paragraph(std::string_view text, std::size_t indent) {
  out_.append(indent, ' ');
  words(text, indent, {.indent = indent, .limit = std::min(width(), kLineWidth)});
  out_ += "\n";
}

void TextParts::thread_sections() {
  // Threads that acted come first, then their creators. The main thread has no section.
  for (const Thread& one : threads_) {
    if (one.main) continue;
    add("  Thread {}", on_one_line(one.label));
    if (!one.name.empty()) add(" {}", quoted(one.name));
    out_ += " (";
    if (one.system_id != 0) add("tid={}, ", one.system_id);
    add("{})", one.finished ? "finished" : "running");
    if (!one.creator) {
      out_ += "\n\n";
      continue;
    }
    add(" created by {} at:\n", who(*one.creator));
    stack(one.creation);
  }
}

std::string command_line(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line.append(line.empty() ? "" : " ").append(on_one_line(word));
  return line;
}

std::string fitted(std::string_view text, std::size_t columns) {
  if (columns == 0) return std::string(text);
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::size_t its_width = width_of(text.substr(0, end));
    if (column != 0 && column + 1 + its_width > columns) {
      out += "\n  ";
      column = 2;
    } else if (column != 0) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += its_width;
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<ScheduleStep> steps_that_matter(const std::vector<ScheduleStep>& schedule,
                                            const std::set<std::string>& locks) {
  const auto matters = [&](const ScheduleStep& step) {
    if (step.kind == StepKind::Run || step.kind == StepKind::LeftOut) return false;
    const bool is_section = step.kind == StepKind::Sync && step.first != step.last && !step.holds.empty();
    return !is_section ||
           std::ranges::any_of(step.holds, [&](const std::string& label) { return locks.contains(label); });
  };
  std::vector<ScheduleStep> kept;
  std::ranges::copy_if(schedule, std::back_inserter(kept), matters);
  return kept;
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace omen::report
