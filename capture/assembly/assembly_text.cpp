#include "capture/assembly/assembly_text.hpp"

#include <algorithm>

namespace omen::assembly {
namespace {

constexpr std::string_view kSpace = " \t";

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// 0 to 15; 16 if it is not a register. All widths of a register have one number.
size_t register_number(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kOld = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
  if (!name.starts_with('%')) return 16;
  name.remove_prefix(1);
  if (name.size() >= 2 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9') {
    const size_t number = name.size() >= 3 && name[2] >= '0' && name[2] <= '9'
                              ? static_cast<size_t>(name[1] - '0') * 10 + static_cast<size_t>(name[2] - '0')
                              : static_cast<size_t>(name[1] - '0');
    return number < 16 ? number : 16;
  }
  if (name.size() == 3 && (name[0] == 'r' || name[0] == 'e')) name.remove_prefix(1);
  for (size_t i = 0; i < kOld.size(); ++i) {
    if (name == kOld[i]) return i;
    if (name.size() == 2 && name[0] == kOld[i][0] && (name[1] == 'l' || name[1] == 'h') && kOld[i][1] == 'x') return i;
    if (name.size() == 3 && name.substr(0, 2) == kOld[i] && name[2] == 'l') return i;
  }
  return 16;
}

/// Splits the operands at the commas outside parentheses.
template <typename Look>
void for_each_operand(std::string_view operands, Look look) {
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= operands.size(); ++at) {
    if (at < operands.size() && operands[at] == '(') ++depth;
    if (at < operands.size() && operands[at] == ')') --depth;
    if (at < operands.size() && (operands[at] != ',' || depth > 0)) continue;
    if (const std::string_view operand = trim(operands.substr(begin, at - begin)); !operand.empty()) look(operand);
    begin = at + 1;
  }
}

/// `tab` for tab+8(%rip) and tab(,%rax,4).
std::string_view symbol_of(std::string_view place) {
  return place.substr(0, place.find_first_of("(+-@"));
}

bool is_string_operation(std::string_view mnemonic) {
  constexpr std::array<std::string_view, 7> begin = {"movs", "stos", "lods", "scas", "cmps", "ins", "outs"};
  if (mnemonic.size() > 5) return false;
  return std::ranges::any_of(begin, [&](std::string_view name) {
    return mnemonic.starts_with(name) &&
           (mnemonic.size() == name.size() ||
            (mnemonic.size() == name.size() + 1 && std::string_view("bwlqd").contains(mnemonic.back())));
  });
}

}  // namespace

Instruction parse_instruction(std::string_view line) {
  constexpr std::array<std::string_view, 10> prefixes = {"rep",  "repe",    "repz", "repne",  "repnz",
                                                         "lock", "notrack", "bnd",  "data16", "rex.w"};
  Instruction out;
  std::string_view rest = trim(line);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (word.starts_with('.') || word.starts_with('#') || word.starts_with("//")) return {};
    if (word.ends_with(':')) {  // a label before an instruction
      rest = trim(rest.substr(end));
      continue;
    }
    if (std::ranges::find(prefixes, word) == prefixes.end()) {
      out.mnemonic = word;
      out.operands = trim(rest.substr(end));
      if (const size_t comment = out.operands.find('#'); comment != std::string_view::npos)
        out.operands = trim(out.operands.substr(0, comment));
      return out;
    }
    out.has_prefix = out.has_prefix || word.starts_with("rep") || word == "lock";
    rest = trim(rest.substr(end));
  }
  if (out.has_prefix) out.mnemonic = "lock";  // alone on its line
  return out;
}

Constants find_constants(std::string_view text) {
  Constants names;
  bool is_constant = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::string_view word = trim(line);
    if (word == ".text" || word == ".data" || word == ".bss") is_constant = false;
    if (word.starts_with(".section")) is_constant = word.contains(".rodata") || word.contains(".data.rel.ro");
    if (is_constant && !line.empty() && !kSpace.contains(line[0]) && line.ends_with(':'))
      names.emplace(line.substr(0, line.size() - 1));
  }
  return names;
}

bool MemoryUse::is_harmless_place(std::string_view place) const {
  if (place.starts_with("%fs:")) return true;  // thread-local
  const size_t open = place.find('(');
  if (place.contains("@GOT")) return true;
  if (constants_.contains(symbol_of(place))) return true;
  if (open == std::string_view::npos) return false;
  bool harmless = false;
  const std::string_view inside = place.substr(open + 1, place.find(')', open) - open - 1);
  for_each_operand(inside, [&](std::string_view part) {
    if (part == "%rsp" || (part == "%rbp" && has_frame_pointer_)) harmless = true;
    const size_t number = register_number(part);
    if (number < 16 && holds_constant_[number]) harmless = true;
  });
  return harmless;
}

bool MemoryUse::touches(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  if (name.empty()) return false;
  if (name.starts_with("mov") && instruction.operands == "%rsp, %rbp") has_frame_pointer_ = true;
  if (name.starts_with("nop") || name.starts_with("prefetch")) return false;
  if (name == "lock" || name == "syscall" || name == "sysenter" || name == "int" || name == "xlat" ||
      is_string_operation(name)) {
    // movsd and cmpsd are also instructions on vector registers.
    if (!is_string_operation(name) || !instruction.operands.contains('%') || instruction.operands.contains("%es:"))
      return true;
  }
  const bool only_address = name.starts_with("lea");
  const bool jumps = name.starts_with('j') || name.starts_with("call") || name.starts_with("loop");
  bool touched = false;
  std::string_view first, last;
  for_each_operand(instruction.operands, [&](std::string_view operand) {
    if (first.empty()) first = operand;
    last = operand;
    if (only_address || operand.starts_with('$')) return;
    const bool is_register = operand.starts_with('%') && !operand.contains(':');
    if (is_register) return;
    if (jumps && !operand.starts_with('*')) return;  // a label
    if (operand.starts_with("*%") && !operand.contains('(')) return;
    touched = touched || !is_harmless_place(operand.starts_with('*') ? operand.substr(1) : operand);
  });
  if (const size_t number = register_number(last); number < 16) {
    const bool gets_constant = only_address && constants_.contains(symbol_of(first));
    const bool keeps = name.starts_with("add") && holds_constant_[number];
    holds_constant_[number] = gets_constant || keeps;
    if (name.starts_with("add") && register_number(first) < 16 && holds_constant_[register_number(first)])
      holds_constant_[number] = true;  // an element: base and index in either order
  }
  return touched;
}

bool assembly_touches(std::string_view block, MemoryUse& use) {
  bool elsewhere = false;  // in a section that is not code
  for (size_t at = 0; at < block.size();) {
    const size_t end = std::min(block.find_first_of("\n;", at), block.size());
    const std::string_view piece = trim(block.substr(at, end - at));
    at = end + 1;
    if (piece.starts_with(".pushsection") || piece.starts_with(".section")) elsewhere = true;
    if (piece.starts_with(".popsection") || piece.starts_with(".previous") || piece.starts_with(".text"))
      elsewhere = false;
    if (elsewhere) continue;
    // Bytes given as data, macros and the other syntax: the instructions are unknown.
    constexpr std::array<std::string_view, 12> data = {".byte",  ".long",         ".int",   ".quad",
                                                       ".word",  ".short",        ".value", ".insn",
                                                       ".macro", ".intel_syntax", ".ascii", ".incbin"};
    if (std::ranges::any_of(data, [&](std::string_view word) { return piece.starts_with(word); })) return true;
    const Instruction instruction = parse_instruction(piece);
    if (instruction.mnemonic.starts_with("call") || use.touches(instruction)) return true;
    if (piece.contains(':')) use.at_label();
  }
  return false;
}

}  // namespace omen::assembly
