/// \file
/// `omen-values RAW OUT`: from the raw recording of a program that was compiled with --omen-values to its value trace.
/// `omen record --values` runs it; it is a program of its own, so that nothing else needs LLVM.
/// Exit code 0, 65 for a recording or a program that cannot be interpreted, 70 for our own bug.
#include <fmt/format.h>

#include <cstdio>

#include "native/interpretation.hpp"
#include "trace/error.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/values/value_format.hpp"

namespace {

int refuse(const omen::InputError& error) {
  fmt::print(stderr, "omen: {}\n", error.text());
  return 65;
}

int run(const std::string& raw, const std::string& out) {
  auto interpreted = omen::native::interpret(raw);
  if (!interpreted) return refuse(interpreted.error());
  const auto text = omen::values::write_values(interpreted->trace, out);
  if (!text) return refuse(text.error());
  auto sink = omen::create_bytes(out);
  if (!sink) return refuse(sink.error());
  if (auto ok = (*sink)->write(*text); !ok) return refuse(ok.error());
  if (auto ok = (*sink)->commit(); !ok) return refuse(ok.error());
  const omen::native::Counters& counters = interpreted->counters;
  fmt::print(stderr,
             "omen: {}: {} events of {} threads; {} instructions interpreted, {} branches on what was read, {} fixed "
             "values, {} calls of code without values; {} of {} cells have no values\n",
             out, interpreted->trace.size(), interpreted->trace.threads(), counters.instructions, counters.branches,
             counters.fixes, counters.unknown_calls, interpreted->built.opaque, interpreted->built.cells);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: omen-values RAW OUT; omen record --values runs it\n");
    return 64;
  }
  return run(argv[1], argv[2]);
}
