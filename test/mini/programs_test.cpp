/// \file
/// The programs of test/mini/programs: each states at its end the findings of all its schedules. Both explorers must
/// find exactly these, and their examples and traces must hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "mini/checker.hpp"
#include "mini/explore.hpp"
#include "mini/instrument.hpp"
#include "mini/printer.hpp"
#include "mini/recorder.hpp"
#include "trace/values/values_check.hpp"
#include "trace/well_formed.hpp"

namespace omen::mini {
namespace {

std::vector<std::string> program_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(OMEN_TEST_DATA) + "/mini/programs")) {
    files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string place(Position at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// The lines after `// expect `, sorted.
std::vector<std::string> expectations(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  const std::string mark = "// expect ";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(mark)) lines.push_back(line.substr(mark.size()));
  }
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> findings(const Exploration& found) {
  std::vector<std::string> lines;
  for (const auto& [sites, example] : found.races) {
    lines.push_back("race " + place(sites.first.at) + " " + place(sites.second.at) + " " +
                    (sites.first.write ? "write" : "read") + "-" + (sites.second.write ? "write" : "read"));
  }
  for (const auto& [site, example] : found.faults) {
    lines.push_back("fault " + place(site.at) + " " + std::string(text(site.fault)));
  }
  lines.push_back("deadlocks " + std::to_string(found.deadlocks.size()));
  lines.push_back("results " + std::to_string(found.finals.size()));
  std::ranges::sort(lines);
  return lines;
}

class Programs : public testing::TestWithParam<std::string> {
 protected:
  Code code() const {
    auto program = load_file(GetParam());
    EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().text());
    return compile(*program);
  }
};

TEST_P(Programs, AllSchedulesShowWhatTheFileSays) {
  const Code code = this->code();
  const Exploration states = explore_states(code);
  ASSERT_TRUE(states.exhaustive);
  EXPECT_EQ(findings(states), expectations(GetParam()));
  const Exploration traces = explore_traces(code);
  if (traces.exhaustive) {
    EXPECT_EQ(findings(traces), expectations(GetParam()));
  } else {
    EXPECT_EQ(traces.limit, "depth");  // a loop that spins
  }
}

TEST_P(Programs, TracesAreWellFormedAndGiveTheirValuesBack) {
  const Code code = this->code();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomScheduler scheduler(seed);
    const Recording recording = record(code, scheduler);
    const auto good = values::check(recording.trace);
    ASSERT_TRUE(good.has_value()) << "seed " << seed << ", event " << good.error().event << ": "
                                  << good.error().message;
    values::Projection projection = values::project(recording.trace);
    WellFormedness rules;
    for (Event& event : projection.trace.events) ASSERT_TRUE(rules.check(event, projection.trace.names).has_value());
  }
}

TEST_P(Programs, PrintedProgramsAreTheSame) {
  auto program = load_file(GetParam());
  ASSERT_TRUE(program.has_value());
  const std::string once = print(*program);
  auto again = load(once, "printed.mini");
  ASSERT_TRUE(again.has_value()) << again.error().text() << "\n" << once;
  EXPECT_EQ(print(*again), once);
  EXPECT_EQ(explore_states(compile(*again)).finals, explore_states(compile(*program)).finals);
}

INSTANTIATE_TEST_SUITE_P(Files, Programs, testing::ValuesIn(program_files()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace omen::mini
