#include <fmt/format.h>

#include "report/analysis_report.hpp"
#include "report/json_text.hpp"

namespace omen::report {
namespace {

/// Buffers text and writes it to the sink in blocks of 64 KiB. Keeps the first error until `finish`.
class Stream {
 public:
  explicit Stream(ByteSink& out) : out_(out) {}

  template <class... Args>
  void add(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), form, std::forward<Args>(args)...);
    if (buffer_.size() >= kEnough) flush();
  }

  std::expected<void, InputError> finish() {
    flush();
    if (failed_) return std::unexpected(*failed_);
    return out_.commit();
  }

 private:
  static constexpr std::size_t kEnough = std::size_t{1} << 16;

  void flush() {
    if (!failed_) {
      if (auto written = out_.write(std::span(buffer_.data(), buffer_.size())); !written) failed_ = written.error();
    }
    buffer_.clear();
  }

  ByteSink& out_;
  fmt::memory_buffer buffer_;
  std::optional<InputError> failed_;
};

void add_race(Stream& out, const RaceList& list, const RaceList::Entry& entry, const AnalysisReport& report) {
  const Names& names = *report.names;
  const auto priors = list.priors(entry);
  const PriorAccess& prior = priors.front();
  out.add("{{\"event\": {}, \"with\": [", index(entry.access.site.event));
  for (std::size_t i = 0; i < priors.size(); ++i) out.add("{}{}", i == 0 ? "" : ", ", index(priors[i].site.event));
  const std::string first = report.location(prior.site.location);
  const std::string second = report.location(entry.access.site.location);
  out.add("], \"variable\": {}, \"kind\": \"{}\", \"locations\": [{}, {}], \"threads\": [{}, {}]",
          json_string(names.of(entry.access.variable)), race_kind(prior.wrote, entry.access.wrote), json_string(first),
          json_string(second), json_string(names.of(prior.thread)), json_string(names.of(entry.access.thread)));
  if (report.function) {
    out.add(", \"functions\": [{}, {}]", json_string(report.function(first)), json_string(report.function(second)));
  }
  if (report.object) out.add(", \"object\": {}", json_string(report.object(names.of(entry.access.variable))));
  out.add("}}");
}

void add_result(Stream& out, const AnalysisResult& result, const AnalysisReport& report) {
  out.add("{{\"analysis\": {}, \"first_race\": ", json_string(result.name));
  if (const auto& first = result.races->first) {
    out.add("{{\"event\": {}, \"with\": {}}}", index(first->access.site.event), index(first->prior.site.event));
  } else {
    out.add("null");
  }
  out.add(",\n   \"races\": [");
  const RaceList& list = result.races->list;
  for (std::size_t i = 0; i < list.entries().size(); ++i) {
    out.add("{}", i == 0 ? "" : ",\n             ");
    add_race(out, list, list.entries()[i], report);
  }
  out.add("],\n   \"racy_events\": {}, \"distinct_races\": {}, \"seconds\": {:.6f}}}",
          result.races->distinct.racy_accesses(), result.races->distinct.races().size(), result.seconds);
}

}  // namespace

std::expected<void, InputError> write_json(const AnalysisReport& report, ByteSink& sink) {
  const Names& names = *report.names;
  Stream out(sink);
  out.add(
      "{{\"omen\": 1,\n \"trace\": {{\"path\": {}, \"events\": {}, \"threads\": {}, \"locks\": {}, \"variables\": "
      "{}}},\n \"results\": [",
      json_string(report.path), report.events, names.of(OperandKind::Thread).size(), names.of(OperandKind::Lock).size(),
      names.of(OperandKind::Variable).size());
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    out.add("{}", i == 0 ? "\n  " : ",\n  ");
    add_result(out, report.results[i], report);
  }
  out.add("]}}\n");
  return out.finish();
}

}  // namespace omen::report
