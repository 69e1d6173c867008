/// \file
/// The building blocks of text reports: stacks, snippets, steps. The writer of each kind of finding combines them
/// (race_text.cpp). Text from the program is escaped: it stays on one line, without control characters.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/race_report.hpp"
#include "report/text_style.hpp"

namespace omen::report {

inline constexpr std::string_view kTool = "OmenRaceDetector";
inline constexpr std::string_view kRule = "==================\n";

enum class Paint : std::uint8_t { Alarm, Heading, Mark, Quiet };

class TextParts {
 public:
  TextParts(const TextStyle& style, const std::vector<Thread>& threads) : style_(style), threads_(threads) {}

  const TextStyle& style() const { return style_; }
  std::string take() { return std::move(out_); }

  template <class... Args>
  void add(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }
  void add_text(std::string_view text) { out_ += text; }

  /// The text in this colour, if colours are on.
  std::string painted(Paint paint, std::string_view text) const;

  /// "main thread", "thread T1 'name'".
  std::string who(std::uint32_t id, bool with_name = false) const;
  /// "main", "T1"; "..." for none.
  std::string label(std::optional<std::uint32_t> id) const;

  std::string path(const std::string& file) const;
  /// FILE:LINE:COLUMN; a link to the file if the terminal supports it.
  std::string position(const std::string& file, std::uint32_t line, std::uint32_t column) const;

  /// Writes all frames and an empty line. For an access, adds a snippet of the source at the first frame that is not
  /// the system's. The innermost frame of an access has its own line even if it is the system's, except for a thread
  /// that waits.
  enum class Role : std::uint8_t { Other, Access, Wait };
  void stack(const Stack& frames, Role role = Role::Other);
  void frame(const Frame& frame, std::size_t number);

  /// " FILE:LINE:COLUMN in FUNCTION".
  void place(const Frame* frame);

  /// Writes a line per step: the thread, its action, the place. The goals, at the end, bear the mark.
  void steps(const std::vector<ScheduleStep>& all, std::string_view mark = "race");

  /// Writes a paragraph; its lines are indented by `indent` blanks.
  void paragraph(std::string_view text, std::size_t indent);

  /// Writes two blanks, the heading and the text. On a narrow terminal the text continues on indented lines.
  void remark(std::string_view heading, std::string_view text);
  /// The same without a heading.
  void sentence(std::string_view text);
  /// What happens, and its certainty: on one line if they fit.
  void title(std::string_view what, std::string_view certainty);

  /// The threads of the finding: their creators, and where they were created.
  void thread_sections();

 private:
  const Thread* thread(std::uint32_t id) const;
  void snippet(const Frame& frame);
  /// The longest line.
  std::size_t width() const;
  /// The indentation of continuation lines, and the longest line.
  struct Margins {
    std::size_t indent = 0;
    std::size_t limit = 0;
  };
  /// Writes text from this column on, broken at blanks; returns the column after it.
  std::size_t words(std::string_view text, std::size_t column, Margins margins);
  /// Writes text that must not be broken because it may contain escape sequences; `its_width` is its width.
  std::size_t word(std::string_view text, std::size_t its_width, std::size_t column, Margins margins);
  std::string plain_position(const std::string& file, std::uint32_t line, std::uint32_t column) const;

  const TextStyle& style_;
  const std::vector<Thread>& threads_;
  std::string out_;
};

/// The steps of a schedule that readers need: thread creations, the accesses, synchronisation on these locks (labels),
/// and steps that let another thread continue. Leaves out runs without synchronisation, and whole sections of other
/// locks.
std::vector<ScheduleStep> steps_that_matter(const std::vector<ScheduleStep>& schedule,
                                            const std::set<std::string>& locks);

/// The words of a command, separated by blanks.
std::string command_line(const std::vector<std::string>& command);

/// Breaks lines longer than `columns` at blanks; 0: returns the text unchanged.
std::string fitted(std::string_view text, std::size_t columns);

/// "1 race", "2 races".
std::string counted(std::uint64_t n, std::string_view one, std::string_view many);

}  // namespace omen::report
