/// \file
/// `omen check TRACE WITNESS`: the independent checker. WITNESS is JSON: an array of event indices, or a document of
/// `omen vindicate --json` or `omen run --json`, of which it checks every confirmed race and deadlock. Exits with 0 if
/// it accepts all, with 1 and the reason otherwise. With `--proved` the checker that is extracted from Coq decides
/// about races under LW; it has no rules for deadlocks and for DATA, which the other checker decides. With
/// `--certificates` the proved checker also checks the files of `omen vindicate --certify`, and every candidate that
/// the document calls no race needs valid certificates.
#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "checker/checker.hpp"
#include "cli/check_certificates.hpp"
#include "cli/command.hpp"
#include "cli/proved_checker.hpp"
#include "cli/source_places.hpp"
#include "trace/trace.hpp"

namespace omen::cli {
namespace {

constexpr int kExitRefused = 1;
constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

using nlohmann::json;

struct Options {
  std::string trace;
  std::string witness;
  Format format = Format::Auto;
  std::uint64_t candidate = kAll;
  std::string certificates;
  std::uint64_t requests = 0;  ///< a bare array is the witness of a deadlock with this many requests
  bool proved = false;
  std::string model;  ///< for a bare array
};

using checker::Model;
using Judge = std::function<std::expected<void, checker::Refusal>(std::span<const std::uint32_t>, Model)>;
/// The checker for races, one of two, and the checker for deadlocks.
struct Judges {
  Judge race;
  std::function<std::expected<void, checker::Refusal>(std::span<const std::uint32_t>, std::size_t, Model)> deadlock;
  /// Replaces the locations of a recorded trace by source positions, for the text of refusals.
  std::function<void()> name_places;
};

std::expected<json, InputError> read_json(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) return std::unexpected(InputError{path, "", "cannot read"});
  }
  try {
    return json::parse(path == "-" ? std::cin : file);
  } catch (const json::parse_error& error) {
    return std::unexpected(InputError{path, "offset " + std::to_string(error.byte), "expected JSON"});
  }
}

/// Reads an array of event indices. A number that does not fit becomes an index that no event has.
std::optional<std::vector<std::uint32_t>> indices(const json& array) {
  if (!array.is_array()) return std::nullopt;
  std::vector<std::uint32_t> events;
  events.reserve(array.size());
  for (const json& item : array) {
    if (!item.is_number_unsigned()) return std::nullopt;
    const auto value = item.get<std::uint64_t>();
    events.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max())));
  }
  return events;
}

/// Checks one witness and prints the result.
bool accepted(const Judges& judges, const std::string& what, const std::vector<std::uint32_t>& witness, Model model,
              std::size_t requests = 0) {
  const auto judged = [&] {
    return requests == 0 ? judges.race(witness, model) : judges.deadlock(witness, requests, model);
  };
  auto result = judged();
  if (!result) {  // check again with source positions in the text: refusals are rare
    judges.name_places();
    result = judged();
  }
  if (result) {
    fmt::print("{}: accepted, {} events\n", what, witness.size());
  } else {
    fmt::print("{}: refused at step {}: {}\n", what, result.error().step, result.error().reason);
  }
  return result.has_value();
}

std::string text_at(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The model that the entry names. A witness under a stricter model is also one under LW.
Model model_at(const json& entry) {
  return text_at(entry, "model") == "data" ? Model::Data : Model::Lw;
}

bool rests_on_values(const std::string& found_by) {
  return found_by == "value" || found_by == "control" || found_by == "relax" || found_by == "paths";
}

/// True if the candidate, which `vindicate --certify` excluded, has valid certificates.
bool certified(const CheckedCertificates& checked, const json& entry, std::size_t n) {
  const auto pair = indices(entry.value("pair", json()));
  const std::string what = pair && pair->size() == 2
                               ? fmt::format("candidate {}, pair {},{}", n, pair->front(), pair->back())
                               : fmt::format("candidate {}", n);
  const json pairs = entry.value("pairs", json());
  std::optional<std::string> missing = "the candidate has no \"pair\", \"pairs\" or \"certificate\"";
  const std::string file = text_at(entry, "certificate");
  if (!file.empty() && pair && pair->size() == 2 && pairs.is_number_unsigned()) {
    missing = checked.missing(file, {pair->front(), pair->back()}, pairs.get<std::uint64_t>());
  }
  if (missing) fmt::print("{}: no race, not certified: {}\n", what, *missing);
  return !missing;
}

/// What a document claims about a pair of accesses.
struct Claim {
  std::string what;  ///< "candidate 3"
  bool race = false;
  bool kept = true;  ///< false: the witness was too long for the report
  std::optional<std::vector<std::uint32_t>> pair{};
  std::optional<std::vector<std::uint32_t>> witness{};
  Model model = Model::Lw;
};

/// From `vindicate --json`.
Claim candidate(const json& entry, std::size_t n) {
  Claim claim{.what = fmt::format("candidate {}", n), .race = text_at(entry, "verdict") == "race"};
  if (!claim.race) return claim;
  claim.model = model_at(entry);
  claim.pair = indices(entry.value("pair", json()));
  claim.witness = indices(entry.value("witness", json()));
  return claim;
}

/// From `run --json`: the pair consists of the events of the accesses.
Claim race(const json& entry, std::size_t n) {
  Claim claim{.what = fmt::format("race {}", n), .race = text_at(entry, "verdict") == "race"};
  if (!claim.race) return claim;
  claim.model = model_at(entry);
  json events = json::array();
  for (const json& access : entry.value("accesses", json::array())) {
    if (access.is_object()) events.push_back(access.value("event", json()));
  }
  claim.pair = indices(events);
  claim.witness = indices(entry.value("witness", json::array()));
  const json size = entry.value("witness_events", json());
  const bool left_out = claim.witness && claim.witness->empty() && size.is_number_unsigned() && size != json(0U);
  claim.kept = !left_out;
  return claim;
}

/// Checks the deadlocks of `vindicate --json` or `run --json`. Refuses one whose witness does not end with its
/// requests. Returns their number, and whether all are accepted.
std::expected<std::pair<std::size_t, bool>, std::string> check_deadlocks(const json& document, const Judges& judges) {
  std::size_t claims = 0;
  bool all = true;
  const auto entries = document.find("deadlocks");
  if (entries == document.end()) return std::pair(claims, all);
  if (!entries->is_array()) return std::unexpected("expected \"deadlocks\" to be an array");
  for (std::size_t n = 0; n < entries->size(); ++n) {
    const json& entry = (*entries)[n];
    if (text_at(entry, "verdict") != "deadlock") continue;
    ++claims;
    const auto requests = indices(entry.value("requests", json()));
    const auto witness = indices(entry.value("witness", json()));
    if (!requests || !witness) {
      return std::unexpected(
          fmt::format("expected deadlock {} to have \"requests\" and a \"witness\" of event indices", n));
    }
    const std::string what = fmt::format("deadlock {}, requests {}", n, fmt::join(*requests, ","));
    const json size = entry.value("witness_events", json());
    if (witness->empty() && size.is_number_unsigned() && size != json(0U)) {
      fmt::print("{}: refused: the witness is too long for the report; `omen vindicate` makes it again\n", what);
      all = false;
    } else if (witness->size() < requests->size() || requests->empty() ||
               !std::equal(requests->begin(), requests->end(),
                           witness->end() - static_cast<std::ptrdiff_t>(requests->size()))) {
      fmt::print("{}: refused: the witness does not end with the requests\n", what);
      all = false;
    } else if (!accepted(judges, what, *witness, model_at(entry), requests->size())) {
      all = false;
    }
  }
  return std::pair(claims, all);
}

/// Also refuses a race whose witness does not end with its pair.
std::expected<int, InputError> check_document(const Options& options, const json& document, const Judges& judges,
                                              const CheckedCertificates* checked) {
  const auto bad = [&](std::string message) {
    return std::unexpected(InputError{options.witness, "", std::move(message)});
  };
  const bool of_run = !document.contains("candidates") && document.contains("races");
  const auto entries = document.find(of_run ? "races" : "candidates");
  if (entries == document.end() || !entries->is_array()) {
    return bad("expected an array of event indices, or an object with \"candidates\" or \"races\"");
  }
  if (options.candidate != kAll && options.candidate >= entries->size()) {
    return bad(fmt::format("expected more than {} {}; there are {}", options.candidate, of_run ? "races" : "candidates",
                           entries->size()));
  }
  bool all = true;
  std::size_t races = 0;
  for (std::size_t n = 0; n < entries->size(); ++n) {
    if (options.candidate != kAll && options.candidate != n) continue;
    const Claim claim = of_run ? race((*entries)[n], n) : candidate((*entries)[n], n);
    if (checked != nullptr && !of_run && text_at((*entries)[n], "verdict") == "no-race") {
      all = certified(*checked, (*entries)[n], n) && all;
    }
    if (!claim.race) continue;
    if (const std::string found_by = text_at((*entries)[n], "found_by"); of_run && rests_on_values(found_by)) {
      fmt::print("{}: not checked: under {} reads return other values than the trace has; `omen replay` executes it\n",
                 claim.what, found_by);
      continue;
    }
    ++races;
    if (!claim.witness || !claim.pair || claim.pair->size() != 2) {
      return bad(fmt::format("expected {} to have {} and a \"witness\" of event indices", claim.what,
                             of_run ? "two \"accesses\", each with its \"event\"," : "a \"pair\""));
    }
    const std::string what = fmt::format("{}, pair {},{}", claim.what, claim.pair->front(), claim.pair->back());
    if (!claim.kept) {
      fmt::print("{}: refused: the witness is too long for the report; `omen vindicate --pair` makes it again\n", what);
      all = false;
    } else if (claim.witness->size() < 2 ||
               !std::is_permutation(claim.pair->begin(), claim.pair->end(), claim.witness->end() - 2)) {
      fmt::print("{}: refused: the witness does not end with the pair\n", what);
      all = false;
    } else if (!accepted(judges, what, *claim.witness, claim.model)) {
      all = false;
    }
  }
  std::size_t deadlocks = 0;
  if (options.candidate == kAll) {
    const auto found = check_deadlocks(document, judges);
    if (!found) return bad(found.error());
    deadlocks = found->first;
    all = all && found->second;
  }
  if (races == 0 && deadlocks == 0) fmt::print("no race to check\n");
  return all ? kExitNothingFound : kExitRefused;
}

std::expected<int, InputError> check_all(const Options& options, const Judges& judges,
                                         const CheckedCertificates* checked = nullptr) {
  const auto document = read_json(options.witness);
  if (!document) return std::unexpected(document.error());
  if (document->is_object()) return check_document(options, *document, judges, checked);
  const auto witness = indices(*document);
  if (!witness) {
    return std::unexpected(InputError{
        options.witness, "", "expected an array of event indices, or an object with \"candidates\" or \"races\""});
  }
  return accepted(judges, "witness", *witness,
                  options.model == "lw" || (options.model.empty() && options.proved) ? Model::Lw : Model::Data,
                  static_cast<std::size_t>(options.requests))
             ? kExitNothingFound
             : kExitRefused;
}

std::expected<int, InputError> run(const Options& options) {
  auto source = open_trace(options.trace, options.format);
  if (!source) return std::unexpected(std::move(source.error()));
  auto trace = load(std::move(*source));
  if (!trace) return std::unexpected(trace.error());
  if (trace->size() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{options.trace, "", "expected fewer than 2^32 - 1 events"});
  }
  const checker::Checker checker(*trace);
  Judges judges{
      .race = [&](std::span<const std::uint32_t> witness, Model model) { return checker.accepts(witness, model); },
      .deadlock = [&](std::span<const std::uint32_t> witness, std::size_t requests,
                      Model model) { return checker.accepts_deadlock(witness, requests, model); },
      .name_places =
          [&, named = false]() mutable {
            if (std::exchange(named, true)) return;
            if (const auto places = SourcePlaces::of_intact(options.trace)) name_places(*trace, *places);
          }};
  if (!options.proved && options.certificates.empty()) return check_all(options, judges);
  const auto proved = ProvedChecker::start(*trace);
  if (!proved) {
    throw CLI::ValidationError(options.proved ? "--proved" : "--certificates",
                               "expected the program " + ProvedChecker::expected_path() +
                                   ", which is built with OMEN_BUILD_PROOFS where Coq and OCaml are");
  }
  judges.race = [&](std::span<const std::uint32_t> witness, Model model) {
    return model == Model::Lw ? proved->accepts(witness) : checker.accepts(witness, model);
  };
  if (options.certificates.empty()) return check_all(options, judges);
  const auto checked = check_certificates(options.certificates, *proved);
  if (!checked) return std::unexpected(checked.error());
  if (checked->certificates == 0) fmt::print("no certificate to check\n");
  const int outcome = checked->all_hold ? kExitNothingFound : kExitRefused;
  if (options.witness.empty()) return outcome;
  const auto rest = check_all(options, judges, &*checked);
  return !rest || outcome == kExitNothingFound ? rest : outcome;
}

const Command command{
    "check", "Check a witness of a race or a deadlock against its trace, independently", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      app.add_option("WITNESS", options->witness,
                     "event indices as JSON, or what vindicate --json or run --json wrote");
      add_number(app, "--candidate", options->candidate, "check only this candidate or race, from 0");
      add_number(app, "--requests", options->requests,
                 "WITNESS is an array, and of a deadlock: its last N events are the requests");
      app.add_option("--model", options->model,
                     "WITNESS is an array: a reordering in which every read keeps its last writer (lw), or all but "
                     "those of counters and the like (data, the default without --proved)")
          ->check(CLI::IsMember({"lw", "data"}));
      app.add_flag("--proved", options->proved,
                   "ask the checker that is extracted from Coq, with its proof; it decides on races alone, under lw");
      app.add_option("--certificates", options->certificates,
                     "a file or folder that vindicate --certify wrote; WITNESS may then be left out");
      add_format(app, "--format", options->format, "the format of TRACE");
      app.footer("Exit code 0: accepted; 1: refused.\nExample:\n  omen check t.std witness.json");
      return [options] {
        if (options->witness.empty() && options->certificates.empty()) {
          throw CLI::ValidationError("WITNESS", "expected a witness, or --certificates");
        }
        return run(*options);
      };
    }};

}  // namespace
}  // namespace omen::cli
