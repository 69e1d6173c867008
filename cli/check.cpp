/// \file
/// `omen check TRACE WITNESS`: the independent checker. WITNESS is JSON: an array of event indices, or a document of
/// `omen vindicate --json` or `omen run --json`, of which every confirmed race is checked. Exit 0 if all are accepted,
/// 1 with the reason if one is not.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "checker/checker.hpp"
#include "cli/command.hpp"
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

/// An index that no event can have stands for one that does not fit.
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

/// Prints the outcome for one witness.
bool accepted(const checker::Checker& checker, const std::string& what, const std::vector<std::uint32_t>& witness) {
  const auto result = checker.accepts(witness);
  if (result) {
    fmt::print("{}: accepted, {} events\n", what, witness.size());
  } else {
    fmt::print("{}: refused at step {}: {}\n", what, result.error().step, result.error().reason);
  }
  return result.has_value();
}

/// What a document says of a pair of accesses.
struct Claim {
  std::string what;  ///< "candidate 3"
  bool race = false;
  bool kept = true;  ///< false: the witness was too long for the report
  std::optional<std::vector<std::uint32_t>> pair{};
  std::optional<std::vector<std::uint32_t>> witness{};
};

std::string text_at(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Of `vindicate --json`.
Claim candidate(const json& entry, std::size_t n) {
  Claim claim{.what = fmt::format("candidate {}", n), .race = text_at(entry, "verdict") == "race"};
  if (!claim.race) return claim;
  claim.pair = indices(entry.value("pair", json()));
  claim.witness = indices(entry.value("witness", json()));
  return claim;
}

/// Of `run --json`: the pair are the events of the accesses.
Claim race(const json& entry, std::size_t n) {
  Claim claim{.what = fmt::format("race {}", n), .race = text_at(entry, "verdict") == "race"};
  if (!claim.race) return claim;
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

/// A race whose last two events are not its pair is refused too.
std::expected<int, InputError> check_document(const Options& options, const json& document,
                                              const checker::Checker& checker) {
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
    if (!claim.race) continue;
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
    } else if (!accepted(checker, what, *claim.witness)) {
      all = false;
    }
  }
  if (races == 0) fmt::print("no race to check\n");
  return all ? kExitNothingFound : kExitRefused;
}

std::expected<int, InputError> run(const Options& options) {
  auto source = open_trace(options.trace, options.format);
  if (!source) return std::unexpected(std::move(source.error()));
  const auto trace = load(std::move(*source));
  if (!trace) return std::unexpected(trace.error());
  if (trace->size() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{options.trace, "", "expected fewer than 2^32 - 1 events"});
  }
  const auto document = read_json(options.witness);
  if (!document) return std::unexpected(document.error());
  const checker::Checker checker(*trace);
  if (document->is_object()) return check_document(options, *document, checker);
  const auto witness = indices(*document);
  if (!witness) {
    return std::unexpected(InputError{
        options.witness, "", "expected an array of event indices, or an object with \"candidates\" or \"races\""});
  }
  return accepted(checker, "witness", *witness) ? kExitNothingFound : kExitRefused;
}

const Command command{
    "check", "Check a witness of a race against its trace, independently", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      app.add_option("WITNESS", options->witness, "event indices as JSON, or what vindicate --json or run --json wrote")
          ->required();
      add_number(app, "--candidate", options->candidate, "check only this candidate or race, from 0");
      add_format(app, "--format", options->format, "the format of TRACE");
      app.footer("Exit code 0: accepted; 1: refused.\nExample:\n  omen check t.std witness.json");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
