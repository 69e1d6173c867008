/// \file
/// omen-bench: reading and every analysis on one trace, as a Markdown table. Repetitions are interleaved, and the table
/// has medians. With --scaling: two traces, one ten times as long, and the growth of time and memory.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "analysis/registry.hpp"
#include "bench/child.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/table.hpp"
#include "bench/write_trace.hpp"

namespace omen::bench {
namespace {

struct Options {
  GeneratorOptions generator;
  std::string trace;
  std::string json;
  std::vector<std::string> analyses;
  std::size_t repeat = 5;
  bool scaling = false;
};

/// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "omen-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", name, {});
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs in a child: the memory for writing must not count in a measurement.
bool generate(const GeneratorOptions& options, const std::string& path) {
  return in_child(nullptr, 0,
                  [&] {
                    const auto written = write_trace(options, path);
                    if (!written) fmt::print(stderr, "omen-bench: {}\n", written.error().text());
                    return written.has_value();
                  })
      .has_value();
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) fmt::print(stderr, "omen-bench: {}: cannot write\n", path);
  return static_cast<bool>(out);
}

double mebibytes(const std::string& path) {
  return static_cast<double>(std::filesystem::file_size(path)) / (1024.0 * 1024.0);
}

/// Every pass over every trace, `repeat` times, interleaved: a temporary slowdown of the machine affects them all.
std::optional<std::vector<Results>> measure_all(const std::vector<std::string>& passes,
                                                const std::vector<std::string>& traces, std::size_t repeat) {
  for (const std::string& trace : traces) {
    if (!measure(kRead, trace)) return std::nullopt;  // this also loads the file into the page cache
  }
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  std::vector<Results> results(traces.size());
  for (Results& rows : results) {
    for (const std::string& pass : passes) rows.push_back({pass, {}});
  }
  for (std::size_t round = 0; round < repeat; ++round) {
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      for (std::size_t trace = 0; trace < traces.size(); ++trace) {
        if (on_terminal) fmt::print(stderr, "\r\033[Kround {} of {}: {}", round + 1, repeat, passes[pass]);
        const auto measured = measure(passes[pass], traces[trace]);
        if (!measured) return std::nullopt;
        results[trace][pass].runs.push_back(*measured);
      }
    }
  }
  if (on_terminal) fmt::print(stderr, "\r\033[K");
  return results;
}

int run(const Options& options) {
  const TemporaryFolder folder;
  std::vector<std::string> traces{options.trace};
  if (options.trace.empty()) {
    traces = {folder.file("trace.omen")};
    if (!generate(options.generator, traces[0])) return 65;
    fmt::print("{}.\n", describe(options.generator));
  } else {
    fmt::print("{}.\n", std::filesystem::path(options.trace).filename().string());
  }
  if (options.scaling) {
    GeneratorOptions longer = options.generator;
    longer.events *= 10;
    traces.push_back(folder.file("longer.omen"));
    if (!generate(longer, traces[1])) return 65;
  }

  std::vector<std::string> passes{kRead, kReadChecked};
  passes.insert(passes.end(), options.analyses.begin(), options.analyses.end());
  const auto results = measure_all(passes, traces, options.repeat);
  if (!results) return 70;
  if (!options.json.empty() && !write_file(options.json, json((*results)[0]))) return 65;
  fmt::print("{:.1f} MiB on disk; medians of {} interleaved runs; processor time of one thread.\n\n",
             mebibytes(traces[0]), options.repeat);
  fmt::print("{}\n", options.scaling ? scaling_table((*results)[0], (*results)[1]) : table((*results)[0]));
  return 0;
}

}  // namespace
}  // namespace omen::bench

int main(int argc, char** argv) {
  using namespace omen::bench;
  CLI::App app{"Measures reading and every analysis on one trace, in one run"};
  app.name("omen-bench");
  Options options;
  std::vector<std::string> known;
  for (const auto& info : omen::all_analyses()) known.emplace_back(info.name);
  CLI::Option* trace = app.add_option("--trace", options.trace, "Measure on this trace instead of a generated one")
                           ->check(CLI::ExistingFile);
  CLI::Option* json_file =
      app.add_option("--json", options.json, "Also write every run of the measurements into this file");
  app.add_option("--analyses", options.analyses, "Only these; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember(known));
  app.add_option("--repeat", options.repeat, "Runs of each pass")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_flag("--scaling", options.scaling,
               "Compare with a trace of ten times the events; by default for the epoch-based analyses only")
      ->excludes(trace)
      ->excludes(json_file);
  add_generator_options(app, options.generator);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 64;
  }
  if (const std::string wrong = options.generator.complaint(); !wrong.empty()) {
    fmt::print(stderr, "omen-bench: {}\n", wrong);
    return 64;
  }
  if (options.analyses.empty()) {
    for (const std::string& name : known) {
      if (!options.scaling || !name.starts_with("unopt-")) options.analyses.push_back(name);
    }
  }
  return run(options);
}
