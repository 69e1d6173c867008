/// \file
/// For the tests of the formats: traces as text, conversions through each format, and random traces.
#pragma once

#include <expected>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trace/formats/byte_sink.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/omen_writer.hpp"
#include "trace/formats/std_writer.hpp"
#include "trace/source.hpp"

namespace omen::test {

/// Copies a source into a sink, unchecked.
inline std::expected<void, InputError> copy(EventSource& source, EventSink& sink) {
  while (true) {
    const auto block = source.next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) return sink.finish(source.names());
    if (auto ok = sink.write(*block, source.names()); !ok) return ok;
  }
}

inline std::expected<std::string, InputError> to_std(std::unique_ptr<EventSource> source,
                                                     StdNames names = StdNames::Refuse) {
  std::string out;
  StdWriter writer(bytes_to_memory(out, "out.std"), names);
  if (auto ok = copy(*source, writer); !ok) return std::unexpected(ok.error());
  return out;
}

inline std::expected<std::string, InputError> to_omen(std::unique_ptr<EventSource> source,
                                                      std::uint32_t block_events = OmenWriter::kDefaultBlockEvents) {
  std::string out;
  OmenWriter writer(bytes_to_memory(out, "out.omen"), block_events);
  if (auto ok = copy(*source, writer); !ok) return std::unexpected(ok.error());
  return out;
}

/// Every operation with every memory order that fits it, once.
inline std::vector<std::string> all_operations() {
  std::vector<std::string> all;
  for (const OpTraits& op : kOpTraits) {
    const std::string operand = op.operand == OperandKind::None ? "" : "(object)";
    if (!op.ordered) {
      all.push_back(std::string(op.name) + operand);
      if (order_fits(op.op, kAttempt)) all.push_back(std::string(op.name) + ".try" + operand);
      if (can_be_update(op.op)) all.push_back(std::string(op.name) + ".update" + operand);
      continue;
    }
    for (std::size_t i = 0; i < kMemoryOrderCount; ++i) {
      if (!order_fits(op.op, static_cast<MemoryOrder>(i))) continue;
      const std::string ordered = std::string(op.name) + "." + std::string(kMemoryOrderNames[i]);
      all.push_back(ordered + operand);
      if (can_be_update(op.op)) all.push_back(ordered + ".update" + operand);
    }
  }
  return all;
}

/// Random lines of STD. The trace need not be well formed: formats hold any sequence of events.
inline std::string random_std(std::uint32_t seed, std::size_t events) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::vector<std::string> operations = all_operations();
  const std::uint32_t names = 1U << below(18);   // few names or many: one plane or three
  const std::uint32_t location_kind = below(4);  // equal numbers, rising numbers, any numbers, texts
  std::string text;
  for (std::size_t i = 0; i < events; ++i) {
    std::string operation = operations[below(static_cast<std::uint32_t>(operations.size()))];
    if (const std::size_t at = operation.find("object"); at != std::string::npos) {
      operation.replace(at, 6, std::to_string(below(names)));
    }
    text.append("T").append(std::to_string(below(1U << below(10)))).append("|").append(operation).append("|");
    switch (location_kind) {
      case 0:
        text += "7";
        break;
      case 1:
        text += std::to_string(i * 3);
        break;
      case 2:
        text += std::to_string(random());
        break;
      default:
        text.append("file.c:").append(std::to_string(below(1000)));
        break;
    }
    text += "\n";
  }
  return text;
}

}  // namespace omen::test
