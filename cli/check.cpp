/// \file
/// `omen check TRACE WITNESS`: the independent checker. WITNESS is JSON: an array of event indices, or a document of
/// `omen vindicate --json`, of which every race is checked. Exit 0 if all are accepted, 1 with the reason if one is
/// not.
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

/// A document of `vindicate --json`. A race whose last two events are not its pair is refused too.
std::expected<int, InputError> check_document(const Options& options, const json& document,
                                              const checker::Checker& checker) {
  const auto bad = [&](std::string message) {
    return std::unexpected(InputError{options.witness, "", std::move(message)});
  };
  const auto candidates = document.find("candidates");
  if (candidates == document.end() || !candidates->is_array()) {
    return bad("expected an array of event indices, or an object with \"candidates\"");
  }
  if (options.candidate != kAll && options.candidate >= candidates->size()) {
    return bad(fmt::format("expected more than {} candidates; there are {}", options.candidate, candidates->size()));
  }
  bool all = true;
  std::size_t races = 0;
  for (std::size_t n = 0; n < candidates->size(); ++n) {
    const json& candidate = (*candidates)[n];
    if (options.candidate != kAll && options.candidate != n) continue;
    if (!candidate.is_object() || candidate.value("verdict", json()) != json("race")) continue;
    ++races;
    const auto witness = indices(candidate.value("witness", json()));
    const auto pair = indices(candidate.value("pair", json()));
    if (!witness || !pair || pair->size() != 2) {
      return bad(fmt::format("expected candidate {} to have a \"pair\" and a \"witness\" of event indices", n));
    }
    const std::string what = fmt::format("candidate {}, pair {},{}", n, pair->front(), pair->back());
    if (witness->size() < 2 || !std::is_permutation(pair->begin(), pair->end(), witness->end() - 2)) {
      fmt::print("{}: refused: the witness does not end with the pair\n", what);
      all = false;
    } else if (!accepted(checker, what, *witness)) {
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
    return std::unexpected(
        InputError{options.witness, "", "expected an array of event indices, or an object with \"candidates\""});
  }
  return accepted(checker, "witness", *witness) ? kExitNothingFound : kExitRefused;
}

const Command command{
    "check", "Check a witness of a race against its trace, independently", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      app.add_option("WITNESS", options->witness, "event indices as JSON, or what vindicate --json wrote")->required();
      add_number(app, "--candidate", options->candidate, "check only this candidate, from 0");
      add_format(app, "--format", options->format, "the format of TRACE");
      app.footer("Exit code 0: accepted; 1: refused.\nExample:\n  omen check t.std witness.json");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
