#include "trace/quote.hpp"
#include "trace/values/value_format.hpp"

namespace omen::values {

std::expected<std::string, InputError> write_values(const ValueTrace& trace, const std::string& name) {
  const auto refuse = [&](const char* what, const std::string& text) {
    return std::unexpected(InputError{name, "", std::string("expected ") + what + ", not " + quoted(text)});
  };
  for (const OperandKind kind : {OperandKind::Variable, OperandKind::Lock, OperandKind::Thread}) {
    const NameTable& table = trace.names.of(kind);
    for (std::uint32_t id = 0; id < table.size(); ++id) {
      const bool starts_badly = kind == OperandKind::Thread && table[id].starts_with('#');
      if (table[id].empty() || starts_badly || table[id].find_first_of(" \t|()\n\r") != std::string::npos) {
        return refuse("names without blanks, '|' and parentheses", table[id]);
      }
    }
  }
  const NameTable& locations = trace.names.locations();
  for (std::uint32_t id = 0; id < locations.size(); ++id) {
    if (locations[id].find_first_of("|\n\r") != std::string::npos) {
      return refuse("locations on one line and without '|'", locations[id]);
    }
  }
  std::string out = "omen-values 1\n";
  for (std::uint32_t i = 0; i < trace.cells.size(); ++i) {
    out += "cell " + trace.names.of(VariableId{i}) + " " + std::to_string(trace.cells[i].width) + " = " +
           std::to_string(trace.cells[i].initial) + "\n";
  }
  for (const ValueEvent& e : trace.events) out += to_text(e, trace) + "\n";
  return out;
}

}  // namespace omen::values
