#include "report/race_junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/build_deadlocks.hpp"
#include "report/deadlock_text.hpp"
#include "report/explain.hpp"
#include "report/frames.hpp"
#include "report/html/html_page.hpp"
#include "report/race_text.hpp"
#include "trace/quote.hpp"

namespace omen::report {

std::string as_junit(const RunReport& report, const TextStyle& style) {
  const std::string program = report.command.empty() ? "omen" : on_one_line(report.command.front());
  std::string cases;
  for (const Race& race : report.races) {
    const Frame* const place = own_place(race.accesses[0].stack);
    std::string where;
    if (place != nullptr && place->has_source()) {
      where = fmt::format(R"( file="{}" line="{}")", html_escaped(on_one_line(relative_path(place->file, style.from))),
                          place->line);
    }
    const std::string what = html_escaped(explain(race).what);
    cases += fmt::format(
        "    <testcase classname=\"omen.{}\" name=\"{}\"{}>\n"
        "      <failure type=\"{}\" message=\"{} ({})\">{}</failure>\n    </testcase>\n",
        words_of(race.kind).name, what, where, words_of(race.kind).name, what, certainty_words(race),
        html_escaped(race_text(race, report, style)));
  }
  for (const Deadlock& deadlock : report.deadlocks) {
    cases += fmt::format(
        "    <testcase classname=\"omen.deadlock\" name=\"{}\">\n"
        "      <failure type=\"deadlock\" message=\"deadlock\">{}</failure>\n    </testcase>\n",
        html_escaped(on_one_line(deadlock_words(deadlock))), html_escaped(deadlock_text(deadlock, report, style)));
  }
  const std::size_t findings = report.races.size() + report.deadlocks.size();
  if (findings == 0) cases = "    <testcase classname=\"omen\" name=\"no findings\"/>\n";
  const std::size_t tests = std::max<std::size_t>(findings, 1);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"omen: {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}  </testsuite>\n"
      "</testsuites>\n",
      html_escaped(program), tests, findings, cases);
}

nlohmann::ordered_json as_code_quality(const RunReport& report, const std::string& source_root) {
  auto list = nlohmann::ordered_json::array();
  for (const Race& race : report.races) {
    const Frame* const place = own_place(race.accesses[0].stack);
    if (place == nullptr || !place->has_source()) continue;
    const Explanation words = explain(race);
    list.push_back({{"description", fmt::format("{}: {} ({}). {}", words_of(race.kind).title, words.what,
                                                certainty_words(race), words.fix)},
                    {"check_name", words_of(race.kind).name},
                    {"fingerprint", race.fingerprint},
                    {"severity", race.observed || race.confirmed ? "critical" : "minor"},
                    {"location",
                     {{"path", relative_path(place->file, {.folder = source_root})},
                      {"lines", {{"begin", std::max<std::uint32_t>(place->line, 1)}}}}}});
  }
  for (const Deadlock& deadlock : report.deadlocks) {
    const Frame* const place = deadlock.waiting.empty() ? nullptr : own_place(deadlock.waiting.front().stack);
    if (place == nullptr || !place->has_source()) continue;
    list.push_back({{"description", fmt::format("Deadlock: {}", deadlock_words(deadlock))},
                    {"check_name", "deadlock"},
                    {"fingerprint", deadlock.fingerprint},
                    {"severity", "critical"},
                    {"location",
                     {{"path", relative_path(place->file, {.folder = source_root})},
                      {"lines", {{"begin", std::max<std::uint32_t>(place->line, 1)}}}}}});
  }
  return list;
}

}  // namespace omen::report
