#include "bench/options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace omen::bench {
namespace {

/// "uniform" or "40/45/14/1".
std::string parse_mix(const std::string& text, GeneratorOptions& options) {
  options.uniform = text == "uniform";
  if (options.uniform) return {};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < options.mix.size(); ++i) {
    const auto [after, error] = std::from_chars(at, end, options.mix[i]);
    const bool last = i + 1 == options.mix.size();
    if (error != std::errc{} || (last ? after != end : after == end || *after != '/')) {
      return "expected 'uniform' or four percentages such as 40/45/14/1";
    }
    options.mix[i] /= 100;
    at = after + 1;
  }
  return {};
}

void add_percent(CLI::App& app, const std::string& name, double& share, const std::string& help) {
  app.add_option_function<double>(
         name, [&share](double percent) { share = percent / 100; }, help)
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT")
      ->default_str(fmt::format("{:g}", share * 100));
}

}  // namespace

void add_generator_options(CLI::App& app, GeneratorOptions& options) {
  app.add_option("--events", options.events, "How many events")->capture_default_str();
  app.add_option("--threads", options.threads, "How many threads")->capture_default_str()->check(CLI::Range(1, 10'000));
  app.add_option("--locks", options.locks, "How many locks")->capture_default_str()->check(CLI::Range(0, 1'000'000));
  app.add_option("--variables", options.variables, "How many variables")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000'000));
  add_percent(app, "--sync", options.sync_share, "Acquires and releases, of all events");
  app.add_option("--nesting", options.nesting, "The most locks that a thread holds at once")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  add_percent(app, "--reads", options.read_share, "Reads, of the accesses");
  app.add_option_function<std::string>(
         "--mix",
         [&options](const std::string& text) {
           if (const std::string wrong = parse_mix(text, options); !wrong.empty()) {
             throw CLI::ValidationError("--mix", wrong);
           }
         },
         "Accesses to local, guarded, read-shared and any variables in percent, or 'uniform'")
      ->type_name("A/B/C/D")
      ->default_str("40/45/14/1");
  add_percent(app, "--locality", options.locality, "Accesses that repeat the thread's previous one, of the accesses");
  app.add_option("--seed", options.seed, "The same seed gives the same trace")->capture_default_str();
}

std::string describe(const GeneratorOptions& options) {
  const auto percent = [](double share) { return fmt::format("{:g}", share * 100); };
  const std::string mix = options.uniform ? "uniform"
                                          : fmt::format("{}/{}/{}/{}", percent(options.mix[0]), percent(options.mix[1]),
                                                        percent(options.mix[2]), percent(options.mix[3]));
  return fmt::format(
      "{} events, {} threads, {} locks, {} variables, {}% synchronisation, nesting up to {}, {}% reads, mix {}, "
      "locality "
      "{}%, seed {}",
      options.events, options.threads, options.locks, options.variables, percent(options.sync_share), options.nesting,
      percent(options.read_share), mix, percent(options.locality), options.seed);
}

}  // namespace omen::bench
