#include "trace/quote.hpp"
#include "trace/values/value_format.hpp"

namespace omen::values {

std::expected<std::string, InputError> write_values(const ValueTrace& trace, const std::string& name) {
  const auto refuse = [&](const char* what, const std::string& text) {
    return std::unexpected(InputError{name, "", std::string("expected ") + what + ", not " + quoted(text)});
  };
  for (const OperandKind kind :
       {OperandKind::Variable, OperandKind::Lock, OperandKind::Thread, OperandKind::Barrier, OperandKind::Atomic}) {
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
  const auto declare = [&](const char* word, const std::vector<Cell>& cells, OperandKind kind) {
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      out += word + trace.names.of(kind)[i] + " ";
      const std::string initial = cells[i].initial_known ? std::to_string(cells[i].initial) : "?";
      out += cells[i].is_opaque() ? "opaque\n" : std::to_string(cells[i].width) + " = " + initial + "\n";
    }
  };
  declare("cell ", trace.cells, OperandKind::Variable);
  declare("atomic ", trace.atomics, OperandKind::Atomic);
  for (const ValueEvent& e : trace.events) out += to_text(e, trace) + "\n";
  if (!trace.carries_paths) return out;
  out += "paths " + std::to_string(trace.paths.size()) + "\n";
  for (const CarriedPath& carried : trace.paths) {
    out += "path " + std::to_string(carried.branch) + (carried.path.complete ? " ends\n" : "\n");
    for (const ValueEvent& e : carried.path.events) out += to_text(e, trace) + "\n";
  }
  return out;
}

}  // namespace omen::values
