#include "bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace omen::bench {
namespace {

template <class Member>
double median(const Row& row, Member member) {
  std::vector<double> values;
  values.reserve(row.runs.size());
  for (const Measurement& run : row.runs) values.push_back(run.*member);
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double seconds(const Row& row) {
  return median(row, &Measurement::seconds);
}
double mebibytes(const Row& row) {
  return median(row, &Measurement::peak_mib);
}

}  // namespace

std::string table(const Results& results) {
  const double reading = seconds(results.front());
  const auto base = std::ranges::find(results, "fto-hb", &Row::pass);
  std::string text =
      "| pass | seconds | million events/s | peak MiB | × read | × fto-hb | racy accesses |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Row& row : results) {
    const bool analysis = row.pass != kRead && row.pass != kReadChecked;
    const double time = seconds(row);
    text += fmt::format("| {} | {:.3f} | {:.1f} | {:.1f} | {:.2f} | {} | {} |\n", row.pass, time,
                        static_cast<double>(row.runs.front().events) / time / 1e6, mebibytes(row), time / reading,
                        base != results.end() ? fmt::format("{:.2f}", time / seconds(*base)) : "",
                        analysis ? fmt::format("{}", row.runs.front().races) : "");
  }
  return text;
}

std::string json(const Results& results) {
  std::string text = "{\"passes\": [";
  for (const Row& row : results) {
    text += fmt::format("{}\n {{\"pass\": \"{}\", \"runs\": [", &row == results.data() ? "" : ",", row.pass);
    for (const Measurement& run : row.runs) {
      text += fmt::format(R"({}{{"seconds": {:.6f}, "peak_mib": {:.3f}, "events": {}, "races": {}}})",
                          &run == row.runs.data() ? "" : ", ", run.seconds, run.peak_mib, run.events, run.races);
    }
    text += "]}";
  }
  return text + "]}\n";
}

std::string scaling_table(const Results& shorter, const Results& longer) {
  const auto events = [](const Results& results) {
    return static_cast<double>(results.front().runs.front().events) / 1e6;
  };
  std::string text = fmt::format(
      "| pass | seconds, {0:g} M events | seconds, {1:g} M | × time | peak MiB, {0:g} M | peak MiB, {1:g} M | × memory "
      "|\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      events(shorter), events(longer));
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    text += fmt::format("| {} | {:.3f} | {:.3f} | {:.2f} | {:.1f} | {:.1f} | {:.2f} |\n", shorter[i].pass,
                        seconds(shorter[i]), seconds(longer[i]), seconds(longer[i]) / seconds(shorter[i]),
                        mebibytes(shorter[i]), mebibytes(longer[i]), mebibytes(longer[i]) / mebibytes(shorter[i]));
  }
  return text;
}

}  // namespace omen::bench
