/// \file
/// omen-bench-generate OUT: writes a random trace, STD or `.omen` by the name's extension.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "bench/options.hpp"
#include "bench/write_trace.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Writes a random trace, well formed by construction"};
  app.name("omen-bench-generate");
  std::string path;
  omen::bench::GeneratorOptions options;
  app.add_option("OUT", path, "The trace to write; .omen is binary, anything else STD")->required();
  omen::bench::add_generator_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 64;
  }
  if (const std::string wrong = options.complaint(); !wrong.empty()) {
    fmt::print(stderr, "omen-bench-generate: {}\n", wrong);
    return 64;
  }
  if (const auto written = omen::bench::write_trace(options, path); !written) {
    fmt::print(stderr, "omen-bench-generate: {}\n", written.error().text());
    return 65;
  }
  return 0;
}
