/// \file
/// `omen vindicate TRACE`: a verdict for each candidate pair, and for each race a witness that the independent checker
/// has accepted.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <thread>

#include "analysis/registry.hpp"
#include "cli/analysis_names.hpp"
#include "cli/certificate_files.hpp"
#include "cli/command.hpp"
#include "cli/confirm_groups.hpp"
#include "cli/deadlock_output.hpp"
#include "cli/progress.hpp"
#include "cli/source_places.hpp"
#include "cli/verdict_output.hpp"
#include "trace/trace.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"
#include "vindicate/deadlocks.hpp"

namespace omen::cli {
namespace {

using vindicate::Confirmer;
using vindicate::EventNo;
using vindicate::Outcome;
using vindicate::Pair;
using vindicate::Verdict;

struct Options {
  std::string trace;
  Format format = Format::Auto;
  std::vector<std::string> analyses{"st-wdc"};
  std::string candidates = "wdc";
  std::string pair;
  std::vector<std::string> methods;
  std::string model = "data";
  std::string json;
  std::string dump_smt;
  std::string certify;
  std::uint64_t budget = vindicate::Budget::kDefault;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t most = 20;
  std::uint64_t pairs = 0;
  bool every = false;
  bool unconfirmed = false;
  bool stats = false;
  bool no_deadlocks = false;
};

class ReportedSource final : public EventSource {
 public:
  ReportedSource(std::unique_ptr<EventSource> inner, const std::string& path)
      : inner_(std::move(inner)), progress_("reading " + path) {}

  std::expected<std::span<Event>, InputError> next() override {
    auto block = inner_->next();
    if (block) progress_.update(events_ += block->size(), inner_->progress());
    return block;
  }
  InputError error_at(std::size_t i, std::string message) const override {
    return inner_->error_at(i, std::move(message));
  }
  const Names& names() const override { return inner_->names(); }

 private:
  std::unique_ptr<EventSource> inner_;
  Progress progress_;
  std::uint64_t events_ = 0;
};

Pair parse_pair(const std::string& text, const vindicate::TraceIndex& index) {
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, one);
  const bool comma = first.ec == std::errc{} && first.ptr != end && *first.ptr == ',';
  const auto second =
      comma ? std::from_chars(first.ptr + 1, end, two) : std::from_chars_result{end, std::errc::invalid_argument};
  if (second.ec != std::errc{} || second.ptr != end)
    throw CLI::ValidationError("--pair", "expected I,J, not '" + text + "'");
  if (std::max(one, two) >= index.size()) {
    throw CLI::ValidationError("--pair",
                               fmt::format("expected events below {}, which is how many there are", index.size()));
  }
  const Pair pair{static_cast<EventNo>(std::min(one, two)), static_cast<EventNo>(std::max(one, two))};
  if (!index.conflict(pair.first, pair.second)) {
    throw CLI::ValidationError("--pair", fmt::format("events {} and {} do not conflict", pair.first, pair.second));
  }
  return pair;
}

vindicate::Methods parse_methods(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  vindicate::Methods methods{false, false, false, false, false, false};
  for (const std::string& name : names) {
    methods.order |= name == "order";
    methods.closure |= name == "closure";
    methods.section_last |= name == "closure";
    methods.graph |= name == "graph";
    methods.search |= name == "search" || name == "exact";
    methods.smt |= name == "smt" || name == "exact";
  }
  return methods;
}

/// Writes each query to its own file.
vindicate::SmtSink dump_to(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw CLI::ValidationError("--dump-smt", "cannot create '" + folder + "'");
  return [folder](const vindicate::SmtQuery& query) {
    std::ofstream file(fmt::format("{}/{}-{}-from-{}.smt2", folder, query.deadlock ? "deadlock" : "pair",
                                   fmt::join(query.goals, "-"), query.begin));
    file << query.smt_lib;
  };
}

void drop_ordered(std::vector<vindicate::CandidateGroup>& groups, std::vector<Result>& results) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].verdict.method == vindicate::Method::Order) continue;
    if (kept != i) {
      results[kept] = std::move(results[i]);
      groups[kept] = std::move(groups[i]);
    }
    ++kept;
  }
  results.resize(kept);
  groups.resize(kept);
}

std::expected<int, InputError> run(const Options& options) {
  const auto analyses = resolve_analyses(options.analyses);
  if (analyses.size() != 1) throw CLI::ValidationError("--analysis", "expected one analysis");
  auto source = open_trace(options.trace, options.format);
  if (!source) return std::unexpected(std::move(source.error()));
  auto trace = load(std::make_unique<ReportedSource>(std::move(*source), options.trace));
  if (!trace) return std::unexpected(trace.error());
  if (trace->size() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{options.trace, "", "expected fewer than 2^32 - 1 events"});
  }
  trace->events.shrink_to_fit();
  auto places = SourcePlaces::of(options.trace);
  if (!places) return std::unexpected(std::move(places.error()));
  SourceWords words;
  if (*places) {
    name_places(*trace, **places);
    words.function = [&](const std::string& place) { return (*places)->function_at(place); };
    words.object = [&](const std::string& variable) { return (*places)->object(variable); };
  }

  const Confirmer confirmer(*trace, parse_methods(options.methods), vindicate::Budget::of(options.budget),
                            dump_to(options.dump_smt),
                            options.model == "lw" ? vindicate::Model::Lw : vindicate::Model::Data);
  std::vector<vindicate::CandidateGroup> groups;
  std::string_view found_by = analyses.front()->relation;
  if (!options.pair.empty()) {
    groups.push_back({{parse_pair(options.pair, confirmer.index())}, 1});
    found_by = "user";
  } else if (options.candidates == "all") {
    groups = all_candidates(confirmer.index(), options.every);
    found_by = "all";
  } else if (options.candidates == "lw") {
    groups = unordered_candidates(confirmer.index());
    found_by = "lw";
  } else {
    groups = analysed_candidates(confirmer.index(), *analyses.front(), options.every);
  }
  const auto budget = vindicate::GroupBudget::of(options.budget, groups.size(), options.pairs);
  auto results = confirm_all(confirmer, groups, budget, options.jobs);
  // Of all conflicting pairs, ordered ones are not candidates.
  if (found_by == "all") drop_ordered(groups, results);
  JsonExtras extras;
  extras.words = words;
  if (!options.certify.empty()) {
    auto written = write_certificates(options.certify, confirmer, groups, results, options.budget, options.jobs);
    if (!written) return std::unexpected(std::move(written.error()));
    extras.certificates = std::move(*written);
  }

  const bool with_deadlocks = !options.no_deadlocks && options.pair.empty();
  vindicate::Deadlocks deadlocks;
  if (with_deadlocks) {
    deadlocks = predict_deadlocks(confirmer);
    const auto first = found_by == "wcp" ? excluded_first_race(groups, results) : std::nullopt;
    if (first) {
      const auto behind = deadlock_behind(confirmer, groups[*first].pairs.front(), deadlocks);
      if (behind) extras.first_is_deadlock = {*first, *behind};
    }
    extras.deadlocks = deadlocks_json(confirmer, deadlocks);
  }

  if (options.json != "-") {
    const TextOptions style{.most = options.most,
                            .unconfirmed = options.unconfirmed || !options.pair.empty(),
                            .statistics = options.stats,
                            .words = words};
    print(confirmer, results, style);
    if (!options.certify.empty()) print_certified(options.certify, results, extras.certificates);
    if (extras.first_is_deadlock) {
      const auto [first, behind] = *extras.first_is_deadlock;
      const Pair pair = groups[first].pairs.front();
      fmt::print("WCP's first race, events {} and {}, is none: it stands for deadlock {} below\n\n", pair.first,
                 pair.second, behind + 1);
    }
    print(confirmer, deadlocks, style);
  }
  if (!options.json.empty()) {
    auto written = write_json(options.json, options.trace, found_by, confirmer, results, extras);
    if (!written) return std::unexpected(std::move(written.error()));
  }
  const bool race = std::ranges::any_of(results, [](const Result& r) { return r.verdict.outcome == Outcome::Race; });
  const bool deadlock = std::ranges::any_of(deadlocks.found, [](const vindicate::DeadlockVerdict& verdict) {
    return verdict.outcome == vindicate::DeadlockOutcome::Deadlock;
  });
  return race || deadlock ? kExitRaces : kExitNothingFound;
}

const Command command{
    "vindicate",
    "Confirm candidate races and deadlocks: a verdict for each, and a checked witness for what is confirmed",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      add_analyses(app, options->analyses);
      app.add_option("--candidates", options->candidates,
                     "wdc: what the analysis reports; lw: pairs that neither fork, join, barriers, read values nor a "
                     "common lock "
                     "order; all: every conflicting pair")
          ->check(CLI::IsMember({"wdc", "lw", "all"}));
      app.add_option("--model", options->model,
                     "what a reordering may change: lw, no read's last writer; data (default), but of counters and the "
                     "like")
          ->check(CLI::IsMember({"lw", "data"}));
      app.add_option("--pair", options->pair, "decide only this pair of events")->type_name("I,J");
      app.add_flag("--every", options->every, "every racing pair, not one per pair of source locations");
      add_number(app, "--budget", options->budget,
                 "how far to follow a pair; 2000: windows of as many events, and in proportion");
      add_number(app, "--pairs", options->pairs,
                 "ask about at most this many pairs per pair of source locations; 0: while they are cheap");
      app.add_flag("--unconfirmed", options->unconfirmed, "show candidates that are excluded too, and why");
      app.add_option("--methods", options->methods,
                     "only these steps: order, closure, graph, search, smt; exact: the last two")
          ->delimiter(',')
          ->check(CLI::IsMember({"order", "closure", "graph", "search", "smt", "exact"}));
      app.add_option("--json", options->json, "write verdicts and witnesses to this file; '-' is standard output");
      app.add_flag("--no-deadlocks", options->no_deadlocks,
                   "races only; else cycles of threads that wait are decided too");
      app.add_flag("--stats", options->stats, "show what each step did");
      add_number(app, "-j,--jobs", options->jobs, "threads to use");
      add_number(app, "--most", options->most, "show at most this many candidates as text; 0: all");
      app.add_flag("--certify{certificates}", options->certify,
                   "write the certificates of excluded candidates into a folder: --certify=FOLDER, or 'certificates'");
      app.add_option("--dump-smt", options->dump_smt, "write each query of the exact step as SMT-LIB into this folder");
      add_format(app, "--format", options->format, "the format of TRACE");
      app.footer(
          "Exit code: 0 nothing confirmed, 66 races or deadlocks, 64 bad usage, 65 bad input, 70 a witness that the "
          "checker "
          "refuses.\n"
          "Example:\n  omen vindicate t.omen --json v.json && omen check t.omen v.json");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
