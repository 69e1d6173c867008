#include "test/judges/conformance.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "test/judges/std_text.hpp"

namespace omen::judges {
namespace {

using nlohmann::json;

std::ifstream opened(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return file;
}

std::vector<Pair> pairs_of(const json& labels) {
  auto pairs = labels.get<std::vector<Pair>>();
  std::ranges::sort(pairs, {}, [](const Pair& p) { return Pair{p.second, p.first}; });
  return pairs;
}

/// The figures have no `racy_events`: these are the later events of the pairs.
std::vector<std::size_t> racy_events_of(const json& labels, const char* relation, const std::vector<Pair>& pairs) {
  std::vector<std::size_t> events;
  if (labels.contains("racy_events")) {
    events = labels.at("racy_events").at(relation).get<std::vector<std::size_t>>();
  } else {
    for (const Pair& p : pairs) events.push_back(p.second);
  }
  std::ranges::sort(events);
  const auto rest = std::ranges::unique(events);
  events.erase(rest.begin(), rest.end());
  return events;
}

Verdicts verdicts_of(const json& labels, const char* relation) {
  Verdicts verdicts;
  verdicts.pairs = pairs_of(labels.at("pairs").at(relation));
  verdicts.racy_events = racy_events_of(labels, relation, verdicts.pairs);
  const json& first = labels.at("first").at(relation);
  if (!first.is_null()) verdicts.first = first.get<std::size_t>();
  return verdicts;
}

LabelledTrace labelled(std::string name, const std::string& text, const json& labels) {
  auto trace = parse_std(text);
  if (!trace) throw std::runtime_error(name + ": " + trace.error());
  LabelledTrace result{std::move(name), std::move(*trace), {}, pairs_of(labels.at("ca")), pairs_of(labels.at("lw"))};
  result.races[Relation::Hb] = verdicts_of(labels, "hb");
  result.races[Relation::Wcp] = verdicts_of(labels, "wcp");
  result.races[Relation::Dc] = verdicts_of(labels, "dc");
  result.races[Relation::Wdc] = verdicts_of(labels, "wdc");
  return result;
}

}  // namespace

std::vector<LabelledTrace> load_conformance_traces(const std::filesystem::path& jsonl) {
  auto file = opened(jsonl);
  std::vector<LabelledTrace> traces;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    const json labels = json::parse(line);
    traces.push_back(labelled("trace " + labels.at("id").dump(), labels.at("std").get<std::string>(), labels));
  }
  return traces;
}

std::vector<LabelledTrace> load_figures(const std::filesystem::path& folder) {
  const json expected = json::parse(opened(folder / "expected.json"));
  std::vector<LabelledTrace> figures;
  for (const auto& [name, labels] : expected.items()) {
    std::stringstream text;
    text << opened(folder / name).rdbuf();
    figures.push_back(labelled(name, text.str(), labels));
  }
  return figures;
}

}  // namespace omen::judges
