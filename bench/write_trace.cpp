#include "bench/write_trace.hpp"

#include "trace/formats/format.hpp"

namespace omen::bench {

std::expected<void, InputError> write_trace(const GeneratorOptions& options, const std::string& path) {
  auto sink = create_trace(path);
  if (!sink) return std::unexpected(std::move(sink.error()));
  Generator generator(options);
  for (auto block = generator.next(); !block.empty(); block = generator.next()) {
    if (auto written = (*sink)->write(block, generator.names()); !written) return written;
  }
  return (*sink)->finish(generator.names());
}

}  // namespace omen::bench
