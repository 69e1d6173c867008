#include "cli/verdict_output.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "cli/certificate_files.hpp"
#include "report/json_text.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/quote.hpp"
#include "vindicate/witness_columns.hpp"

namespace omen::cli {
namespace {

using vindicate::Confirmer;
using vindicate::EventNo;
using vindicate::Outcome;
using vindicate::Verdict;

std::string site(const vindicate::TraceIndex& index, EventNo e, const SourceWords& words) {
  const Event& event = index.event(e);
  const Names& names = index.trace().names;
  const std::string location = names.text(event.location);
  const std::string function = words.function ? words.function(location) : "";
  const std::string object = words.object ? words.object(names.of(event.variable())) : "";
  return fmt::format("{} of {}{} by {}{}{}{} (event {})",
                     event.op == Op::Free ? "free"
                     : is_write(event.op) ? "write"
                                          : "read",
                     omen::quoted(names.of(event.variable())),
                     object.empty() ? "" : fmt::format(" ({})", on_one_line(object)),
                     on_one_line(names.of(event.thread)), location.empty() ? "" : " at ", on_one_line(location),
                     function.empty() ? "" : fmt::format(" in {}", on_one_line(function)), e);
}

void print_race(const Confirmer& confirmer, const Result& result, const SourceWords& words) {
  const Verdict& v = result.verdict;
  const auto witness = confirmer.witness(v);
  fmt::print("race: {}\n  and {}\n", site(confirmer.index(), v.pair.first, words),
             site(confirmer.index(), v.pair.second, words));
  if (result.count > 1) fmt::print("  one of {} candidate pairs at these locations\n", result.count);
  fmt::print("  witness ({} events, by {}, model {}):\n{}\n", witness.size(), name(v.method), confirmer.model_of(v),
             witness_columns(confirmer.index(), witness));
}

void print_undecided(const Confirmer& confirmer, const Result& result, const SourceWords& words) {
  const Verdict& v = result.verdict;
  fmt::print("{}: {}\n  and {}\n", name(v.outcome), site(confirmer.index(), v.pair.first, words),
             site(confirmer.index(), v.pair.second, words));
  if (v.outcome == Outcome::Unknown) {
    if (result.count > 1)
      fmt::print("  {} of {} candidate pairs at these locations are excluded\n", result.decided, result.count);
    fmt::print("  out of budget: {}\n\n", v.ran_out);
    return;
  }
  if (result.count > 1) fmt::print("  all {} candidate pairs at these locations are excluded\n", result.count);
  fmt::print("  excluded under {} in the whole trace, by {}: {}\n\n", confirmer.model_of(v), name(v.method),
             confirmer.why_excluded(v));
}

void print_statistics(const std::vector<Result>& results) {
  std::array<std::size_t, 6> races{};
  std::array<std::size_t, 6> excluded{};
  std::map<std::size_t, std::size_t> edges;
  std::map<std::size_t, std::size_t> iterations;
  std::map<std::size_t, std::size_t> retries;
  std::uint64_t states = 0;
  std::uint64_t rlimit = 0;
  for (const auto& [v, count, decided] : results) {
    if (v.outcome == Outcome::Race) ++races[static_cast<std::size_t>(v.method)];
    if (v.outcome == Outcome::NoRace) ++excluded[static_cast<std::size_t>(v.method)];
    states += v.states;
    rlimit += v.rlimit;
    if (!v.graph) continue;
    ++edges[v.graph->lock_edges];
    ++iterations[v.graph->iterations];
    ++retries[v.graph->retries];
  }
  constexpr std::array<const char*, 6> kSteps{"", "order", "closure", "graph", "search", "smt"};
  fmt::print("step       races  excluded\n");
  for (std::size_t i = 1; i < kSteps.size(); ++i) fmt::print("{:<9}{:>7}{:>10}\n", kSteps[i], races[i], excluded[i]);
  const auto table = [](const char* what, const std::map<std::size_t, std::size_t>& counts) {
    fmt::print("{}:", what);
    for (const auto& [value, pairs] : counts) fmt::print(" {}x{}", value, pairs);
    fmt::print("{}\n", counts.empty() ? " none" : "");
  };
  fmt::print("of the pairs that the graph was asked about (value x pairs)\n");
  table("lock-semantics edges", edges);
  table("iterations", iterations);
  table("retries", retries);
  fmt::print("states searched: {}\nZ3 resources: {}\n\n", states, rlimit);
}

/// Streams, because a witness may be as long as the trace.
class JsonWriter {
 public:
  JsonWriter(std::unique_ptr<ByteSink> out, const Confirmer& confirmer, std::string_view found_by)
      : out_(std::move(out)), confirmer_(confirmer), found_by_(found_by) {}

  std::expected<void, InputError> write(const std::string& path, const std::vector<Result>& results,
                                        const JsonExtras& extras) {
    const Trace& trace = confirmer_.index().trace();
    text_ = fmt::format(
        "{{\n  \"omen\": 1,\n  \"trace\": {{\"path\": {}, \"events\": {}, \"threads\": {}}},\n  \"candidates\": [",
        report::json_string(path), trace.size(), trace.threads());
    for (std::size_t i = 0; i < results.size(); ++i) {
      text_ += i == 0 ? "\n    {" : ",\n    {";
      if (auto ok = candidate(results[i], extras.words); !ok) return ok;
      if (!extras.certificates.empty()) certificate(results[i], extras.certificates[i]);
      if (extras.first_is_deadlock && extras.first_is_deadlock->first == i) {
        text_ += fmt::format(", \"deadlock\": {}", extras.first_is_deadlock->second);
      }
      text_ += "}";
    }
    text_ += results.empty() ? "]" : "\n  ]";
    if (!extras.deadlocks.empty()) text_.append(",\n  \"deadlocks\": ").append(extras.deadlocks);
    text_ += "\n}\n";
    if (auto ok = flush(); !ok) return ok;
    return out_->commit();
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;

  std::expected<void, InputError> candidate(const Result& result, const SourceWords& words) {
    const Verdict& v = result.verdict;
    const auto& index = confirmer_.index();
    const Names& names = index.trace().names;
    const auto location = [&](EventNo e) { return report::json_string(names.text(index.event(e).location)); };
    text_ += fmt::format("\"pair\": [{}, {}], \"found_by\": \"{}\", \"verdict\": \"{}\"", v.pair.first, v.pair.second,
                         found_by_, name(v.outcome));
    if (v.outcome == Outcome::Unknown) {
      text_ += fmt::format(", \"ran_out\": \"{}\"", v.ran_out);
    } else {
      text_ += fmt::format(", \"model\": \"{}\", \"method\": \"{}\"", confirmer_.model_of(v), name(v.method));
    }
    if (v.method == vindicate::Method::Search || v.method == vindicate::Method::Smt) {
      text_ += fmt::format(", \"engine\": \"{}\"", v.method == vindicate::Method::Search ? "search" : "smt");
    }
    text_ += fmt::format(", \"variable\": {}, \"locations\": [{}, {}], \"pairs\": {}, \"decided\": {}",
                         report::json_string(names.of(index.event(v.pair.first).variable())), location(v.pair.first),
                         location(v.pair.second), result.count, result.decided);
    if (words.function) {
      const auto function = [&](EventNo e) {
        return report::json_string(words.function(names.text(index.event(e).location)));
      };
      text_ += fmt::format(", \"functions\": [{}, {}]", function(v.pair.first), function(v.pair.second));
    }
    if (words.object) {
      const std::string& variable = names.of(index.event(v.pair.first).variable());
      text_ += fmt::format(", \"object\": {}", report::json_string(words.object(variable)));
    }
    if (v.graph) {
      text_ += fmt::format(", \"graph\": {{\"nodes\": {}, \"edges\": {}, \"iterations\": {}, \"retries\": {}}}",
                           v.graph->nodes, v.graph->lock_edges, v.graph->iterations, v.graph->retries);
    }
    if (v.outcome != Outcome::Race) return {};
    text_ += ", \"witness\": [";
    const char* separator = "";
    for (const EventNo e : confirmer_.witness(v)) {
      fmt::format_to(std::back_inserter(text_), "{}{}", std::exchange(separator, ", "), e);
      if (text_.size() < kBuffer) continue;
      if (auto ok = flush(); !ok) return ok;
    }
    text_ += "]";
    return {};
  }

  void certificate(const Result& result, const CertificateFile& file) {
    if (result.verdict.outcome != Outcome::NoRace) return;
    text_ += fmt::format(", \"certified\": {}", file.certified);
    if (!file.name.empty()) text_ += fmt::format(", \"certificate\": {}", report::json_string(file.name));
  }

  std::expected<void, InputError> flush() {
    auto written = out_->write(text_);
    text_.clear();
    return written;
  }

  std::unique_ptr<ByteSink> out_;
  const Confirmer& confirmer_;
  std::string_view found_by_;
  std::string text_;
};

}  // namespace

void print(const Confirmer& confirmer, const std::vector<Result>& results, const TextOptions& options) {
  std::array<std::size_t, 3> count{};
  std::uint64_t shown = 0;
  for (const Result& result : results) {
    ++count[static_cast<std::size_t>(result.verdict.outcome)];
    const bool undecided = result.verdict.outcome != Outcome::Race;
    if (undecided && !options.unconfirmed && result.verdict.outcome != Outcome::Unknown) continue;
    if (options.most != 0 && shown++ >= options.most) continue;
    undecided ? print_undecided(confirmer, result, options.words) : print_race(confirmer, result, options.words);
  }
  if (options.most != 0 && shown > options.most)
    fmt::print("({} more not shown; --most 0 shows all)\n\n", shown - options.most);
  if (options.statistics) print_statistics(results);
  fmt::print("{} candidate{}: {} race{}, {} excluded, {} unknown\n", results.size(), results.size() == 1 ? "" : "s",
             count[0], count[0] == 1 ? "" : "s", count[1], count[2]);
}

std::expected<void, InputError> write_json(const std::string& path, const std::string& trace, std::string_view found_by,
                                           const Confirmer& confirmer, const std::vector<Result>& results,
                                           const JsonExtras& extras) {
  auto out = create_bytes(path);
  if (!out) return std::unexpected(std::move(out.error()));
  return JsonWriter(std::move(*out), confirmer, found_by).write(trace, results, extras);
}

}  // namespace omen::cli
