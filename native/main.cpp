/// \file
/// `omen-values RAW OUT [ORIGINS]`: from the raw recording of a program that was compiled with --omen-values to its
/// value trace. ORIGINS gets a number of 4 bytes for each of its events: the event of the recording that it is, or
/// comes before. `omen record --values` and `omen run` start it; it is a program of its own, so that nothing else needs
/// LLVM. Exit code 0, 65 for a recording or a program that cannot be interpreted, 70 for our own bug.
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

std::expected<void, omen::InputError> write(const std::string& path, std::string_view content) {
  auto sink = omen::create_bytes(path);
  if (!sink) return std::unexpected(std::move(sink.error()));
  if (auto ok = (*sink)->write(content); !ok) return ok;
  return (*sink)->commit();
}

int run(const std::string& raw, const std::string& out, const char* origins) {
  auto interpreted = omen::native::interpret(raw);
  if (!interpreted) return refuse(interpreted.error());
  const auto text = omen::values::write_values(interpreted->trace, out);
  if (!text) return refuse(text.error());
  if (auto ok = write(out, *text); !ok) return refuse(ok.error());
  if (origins != nullptr) {
    if (const std::uint64_t unturned = interpreted->counters.unturned; unturned != 0) {
      fmt::print(stderr, "omen: {} branches, or some of their ways, were not turned: the bounds have no room\n",
                 unturned);
    }
    const auto& numbers = interpreted->origin;
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]);
    if (auto ok = write(origins, bytes); !ok) return refuse(ok.error());
    return 0;
  }
  const omen::native::Counters& counters = interpreted->counters;
  fmt::print(
      stderr,
      "omen: {}: {} events of {} threads; {} instructions interpreted, {} branches on what was read, {} fixed "
      "values, {} calls of code without values; {} of {} cells have no values; {} branches turned, {} beyond the "
      "bounds, {} paths\n",
      out, interpreted->trace.size(), interpreted->trace.threads(), counters.instructions, counters.branches,
      counters.fixes, counters.unknown_calls, interpreted->built.opaque, interpreted->built.cells, counters.turned,
      counters.unturned, counters.paths);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    fmt::print(stderr, "usage: omen-values RAW OUT [ORIGINS]; omen record --values and omen run start it\n");
    return 64;
  }
  return run(argv[1], argv[2], argc == 4 ? argv[3] : nullptr);
}
