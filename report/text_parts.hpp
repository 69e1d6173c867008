/// \file
/// What text reports are made of: stacks, snippets, steps. The writer of a kind of finding puts them together
/// (race_text.cpp). Whatever comes from the program is put on one line, without control characters.
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

  /// The text in this colour, where there are colours.
  std::string painted(Paint paint, std::string_view text) const;

  /// "main thread", "thread T1 'name'".
  std::string who(std::uint32_t id, bool with_name = false) const;
  /// "main", "T1"; "..." for none.
  std::string label(std::optional<std::uint32_t> id) const;

  std::string path(const std::string& file) const;
  /// FILE:LINE:COLUMN, a link to the file where the terminal has them.
  std::string position(const std::string& file, std::uint32_t line, std::uint32_t column) const;

  /// All frames and an empty line. Of an access, with a snippet of the source at the first frame that is not the
  /// system's. The innermost frame of an access stands by itself, also where it is the system's, unless it only waits.
  enum class Role : std::uint8_t { Other, Access, Wait };
  void stack(const Stack& frames, Role role = Role::Other);
  void frame(const Frame& frame, std::size_t number);

  /// " FILE:LINE:COLUMN in FUNCTION".
  void place(const Frame* frame);

  /// A line a step: the thread, what it does, where. The last ones, what the finding is about, bear the mark.
  void steps(const std::vector<ScheduleStep>& all, std::string_view mark = "race");

  /// A paragraph, broken into lines that begin with `indent` blanks.
  void paragraph(std::string_view text, std::size_t indent);

  /// A line of two blanks, the heading and the text. Where the terminal is narrower, the rest of the text stands below
  /// its start.
  void remark(std::string_view heading, std::string_view text);
  /// The same without a heading.
  void sentence(std::string_view text);
  /// What happens, and how sure it is: on one line, if it fits.
  void title(std::string_view what, std::string_view certainty);

  /// The threads that a finding speaks of: who created them, and where.
  void thread_sections();

 private:
  const Thread* thread(std::uint32_t id) const;
  void snippet(const Frame& frame);
  /// Lines are no longer than that.
  std::size_t width() const;
  /// Where lines that go on begin, and how long lines are.
  struct Margins {
    std::size_t indent = 0;
    std::size_t limit = 0;
  };
  /// Text from this column on, broken at blanks; returns the column behind it.
  std::size_t words(std::string_view text, std::size_t column, Margins margins);
  /// A text of this width that is not broken: it may have escape sequences.
  std::size_t word(std::string_view text, std::size_t its_width, std::size_t column, Margins margins);
  std::string plain_position(const std::string& file, std::uint32_t line, std::uint32_t column) const;

  const TextStyle& style_;
  const std::vector<Thread>& threads_;
  std::string out_;
};

/// The steps of a schedule that a reader needs: who is created, the accesses, synchronisation on these locks (labels),
/// and whatever lets another thread go on. Stretches without synchronisation, and sections of other locks, go without
/// saying.
std::vector<ScheduleStep> steps_that_matter(const std::vector<ScheduleStep>& schedule,
                                            const std::set<std::string>& locks);

/// The words of a command with blanks between them.
std::string command_line(const std::vector<std::string>& command);

/// The text with lines that are longer broken at blanks; 0: as it is.
std::string fitted(std::string_view text, std::size_t columns);

/// "1 race", "2 races".
std::string counted(std::uint64_t n, std::string_view one, std::string_view many);

}  // namespace omen::report
