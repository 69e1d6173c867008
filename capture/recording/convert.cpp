#include "capture/recording/convert.hpp"

#include "trace/formats/byte_sink.hpp"
#include "trace/formats/omen_writer.hpp"

namespace omen::recording {

std::expected<Converted, InputError> convert(const std::string& raw, const std::string& omen,
                                             const std::optional<ProcessEnd>& end) {
  auto run = RecordedRun::open(raw);
  if (!run) return std::unexpected(std::move(run.error()));
  return convert(*run, omen, {}, end);
}

std::expected<Converted, InputError> convert(RecordedRun& run, const std::string& omen, const RecordedRun::Take& also,
                                             const std::optional<ProcessEnd>& end) {
  auto bytes = create_bytes(omen);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  OmenWriter out(std::move(*bytes));
  const auto passed =
      run.events(RecordedRun::Which::All, [&](std::span<Event> block) -> std::expected<void, InputError> {
        if (auto written = out.write(block, run.all_names()); !written) return written;
        return also ? also(block) : std::expected<void, InputError>{};
      });
  if (!passed) return std::unexpected(passed.error());
  Converted result{.events = run.event_count(),
                   .synchronisations = run.synchronisations(),
                   .threads = run.threads(),
                   .complete = run.complete(),
                   .info = run.info()};
  result.info.blocks = run.take_blocks();
  result.info.points = run.take_points();
  result.info.suppressions = run.suppressions();
  result.info.complete = result.complete;
  result.info.synchronisations = result.synchronisations;
  result.info.end = end;
  if (auto ok = out.attach(result.info, run.all_names()); !ok) return std::unexpected(std::move(ok.error()));
  if (auto ok = out.finish(run.all_names()); !ok) return std::unexpected(std::move(ok.error()));
  return result;
}

}  // namespace omen::recording
