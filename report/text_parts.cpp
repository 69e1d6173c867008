#include "report/text_parts.hpp"

#include <algorithm>
#include <array>

#include "report/frames.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

/// So many digits of a build id tell builds apart.
constexpr std::size_t kBuildIdDigits = 12;
constexpr std::size_t kWidestLabel = 24;
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kSnippetWidth = 100;
constexpr std::size_t kTabStop = 8;

/// Columns that the text takes on a terminal, as far as its characters are of one width.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// A source line as it looks: tabs are blanks, control characters are spelt out.
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
  std::string text = path(file);
  if (line != 0) text += fmt::format(":{}", line);
  if (line != 0 && column != 0) text += fmt::format(":{}", column);
  return text;
}

void TextParts::frame(const Frame& frame, std::size_t number) {
  std::string line = fmt::format("    #{}", number);
  if (!frame.function.empty() || !frame.has_source()) {
    const std::string name = style_.full_stacks ? frame.function : short_name(frame);
    line += fmt::format(" {}", name.empty() ? "<null>" : on_one_line(name));
  }
  if (frame.has_source()) line += fmt::format(" {}", position(frame.file, frame.line, frame.column));
  if (!frame.module.empty()) {
    line += fmt::format(" ({}+{:#x})", on_one_line(base_name(frame.module)), frame.offset);
    const std::string_view id = frame.build_id;
    if (!id.empty()) line += fmt::format(" (BuildId: {})", on_one_line(id.substr(0, kBuildIdDigits)));
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
  if (column + 1 > kSnippetWidth) return;  // the mark would stand where nobody looks
  if (width_of(line) > kSnippetWidth) {
    std::size_t end = kSnippetWidth;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    line = line.substr(0, end) + "…";
  }
  const std::string number = std::to_string(frame.line);
  add("      {} | {}\n", painted(Paint::Quiet, number), line);
  if (!has_column) return;
  add("      {:{}} | {:{}}{}\n", "", number.size(), "", column, painted(Paint::Mark, "^"));
}

void TextParts::stack(const Stack& frames, bool of_access) {
  if (frames.empty()) out_ += "    [no stack is known]\n";
  const Frame* const own = of_access ? own_place(frames) : nullptr;
  const auto one = [&](std::size_t i) {
    frame(frames[i], i);
    if (&frames[i] == own) snippet(frames[i]);
  };
  if (style_.full_stacks) {
    for (std::size_t i = 0; i < frames.size(); ++i) one(i);
  } else {
    for (const FrameRun& run : fold(frames, of_access ? Innermost::Alone : Innermost::AsAll)) {
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
  std::size_t width = 0;
  for (const ScheduleStep& step : all) width = std::max(width, std::min(width_of(label(step.thread)), kWidestLabel));
  for (const ScheduleStep& step : all) {
    add("    {:<{}}  {}", label(step.thread), width, on_one_line(step.text));
    if (step.kind != StepKind::Run && !step.file.empty()) {
      add(" at {}:{}", on_one_line(base_name(step.file)), step.line);  // the stacks have the whole paths
    }
    if (step.kind == StepKind::Access) add("   {}", painted(Paint::Alarm, fmt::format("<-- {}", mark)));
    out_ += "\n";
  }
}

void TextParts::paragraph(std::string_view text, std::size_t indent) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (column != 0 && column + 1 + width_of(word) > kLineWidth) {
      out_ += "\n";
      column = 0;
    }
    if (column == 0) {
      out_.append(indent, ' ');
      column = indent;
    } else {
      out_ += " ";
      ++column;
    }
    out_ += word;
    column += width_of(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out_ += "\n";
}

void TextParts::thread_sections() {
  // Those that did something, then those that created them; the main thread needs no words.
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

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace omen::report
