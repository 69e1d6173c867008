#include "native/interpretation.hpp"

#include <fmt/format.h>

#include "native/cells.hpp"
#include "native/path_finder.hpp"
#include "trace/values/values_check.hpp"

namespace omen::native {

std::expected<Interpretation, InputError> interpret(const std::string& raw) {
  auto recording = load_recording(raw);
  if (!recording) return std::unexpected(std::move(recording.error()));
  auto program = Program::load(*recording);
  if (!program) return std::unexpected(std::move(program.error()));
  const std::string name = recording->info.command.empty() ? raw : recording->info.command[0];
  if (!program->has_functions()) {
    return std::unexpected(InputError{name, "", "expected a program that was compiled with omen-cc --omen-values"});
  }
  Run run;
  run.notes.resize(recording->trace.size());
  const NameTable& threads = recording->trace.names.of(OperandKind::Thread);
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    if (auto ok = run_thread(*program, *recording, ThreadId{t}, run); !ok) {
      return std::unexpected(InputError{name, "thread " + threads[t], std::move(ok.error())});
    }
  }
  auto cells = Cells::of(*program, *recording, run);
  if (!cells) return std::unexpected(InputError{name, "", std::move(cells.error())});
  find_paths(*program, *recording, *cells, run);
  const Built built = build_values(*program, *recording, *cells, run);
  if (const auto good = values::check(run.trace); !good) {
    internal_error(
        __FILE__, __LINE__,
        fmt::format(
            "event {} of the value trace ({}) is wrong: {}", good.error().event,
            good.error().event < run.trace.size() ? to_text(run.trace.events[good.error().event], run.trace) : "",
            good.error().message));
  }
  return Interpretation{std::move(run.trace), std::move(run.origin), run.counters, built};
}

}  // namespace omen::native
