#include "trace/trace.hpp"

#include <memory>

#include "trace/validated_source.hpp"

namespace omen {

std::expected<Trace, InputError> load(std::unique_ptr<EventSource> source) {
  // Names are owned by the source; interning them again in order gives the same identifiers.
  ValidatedSource validated(std::move(source));
  Trace trace;
  while (true) {
    auto block = validated.next();
    if (!block) return std::unexpected(std::move(block.error()));
    if (block->empty()) break;
    trace.events.insert(trace.events.end(), block->begin(), block->end());
  }
  const Names& names = validated.names();
  for (std::size_t kind = 0; kind < kOperandKindCount; ++kind) {
    const NameTable& table = names.of(static_cast<OperandKind>(kind));
    for (std::uint32_t id = 0; id < table.size(); ++id)
      trace.names.of(static_cast<OperandKind>(kind)).intern(table[id]);
  }
  for (std::uint32_t id = 0; id < names.locations().size(); ++id) trace.names.locations().intern(names.locations()[id]);
  return trace;
}

std::string to_text(const Event& event, const Names& names) {
  const OpTraits& op = traits(event.op);
  std::string text = names.of(event.thread);
  text += '|';
  text += op.name;
  append_suffix(text, event);
  if (op.operand != OperandKind::None) {
    text += '(';
    text += names.of(op.operand)[event.operand];
    text += ')';
  }
  text += '|';
  text += names.text(event.location);
  return text;
}

}  // namespace omen
