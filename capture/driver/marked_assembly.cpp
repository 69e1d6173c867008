#include "capture/driver/marked_assembly.hpp"

#include <set>

#include "capture/abi/pass_mark.hpp"
#include "capture/abi/version.hpp"
#include "capture/assembly/assembly_text.hpp"

namespace omen::driver {
namespace {

using namespace assembly;

// Through the global offset table: a lazily bound call would change a register. The linker makes it a direct call where
// possible.
constexpr std::string_view kLeave = "\tcall\t*__omen_leave@GOTPCREL(%rip)\n";
/// A function without calls may have variables below the stack pointer.
constexpr std::string_view kPassRedZone = "\tleaq\t-128(%rsp), %rsp\n";
constexpr std::string_view kBackAgain = "\tleaq\t128(%rsp), %rsp\n";

/// Parts of functions, and functions that the compiler generates, which only pass control on or access thread-local
/// memory.
bool is_no_function(std::string_view name) {
  return name.contains(".cold") || name.starts_with("_ZTh") || name.starts_with("_ZTv") || name.starts_with("_ZTc") ||
         name.starts_with("_ZTW") || name.starts_with("_ZTH") || name.starts_with(".L");
}

class Marker {
 public:
  explicit Marker(std::string_view text)
      : text_(text),
        constants_(find_constants(text)),
        is_intel_(text.contains(".intel_syntax noprefix")),
        is_clang_(text.contains("# -- Begin function") || text.contains("clang version ")),
        use_(constants_) {
    out_.reserve(text.size() + text.size() / 16);
  }

  std::string run() {
    for (size_t at = 0; at < text_.size();) {
      const size_t end = std::min(text_.find('\n', at), text_.size() - 1);
      at = line(text_.substr(at, end + 1 - at), at);
    }
    end_function();
    for (const std::string_view line : {"\t.weak\t", "\t.hidden\t"})
      out_.append(line).append(kMarkedSymbol).append("\n");
    out_.append("\t.set\t").append(kMarkedSymbol).append(", 1\n").append(abi::kVersionReference);
    if (!text_.contains(OMEN_PASS_SECTION)) out_.append(abi::kNoPassMark);
    return std::move(out_);
  }

 private:
  /// Copies the line to the output, and returns where the next one begins.
  size_t line(std::string_view line, size_t at) {
    const size_t next = at + line.size();
    if (line.starts_with("#APP") || line.starts_with("\t#APP")) return assembly_block(at);
    if (line.ends_with("\",\"e\",@llvm_linker_options\n")) {  // the GNU assembler warns of this section type
      out_.append(line.substr(0, line.rfind('@'))).append("@progbits\n");
      return next;
    }
    if (line[0] != '\t' && line[0] != ' ' && line.contains(':')) {
      label(line.substr(0, line.find(':')), line);
      return next;
    }
    if (line.starts_with("\t.type\t")) {
      const std::string_view rest = line.substr(7);
      if (rest.contains("@function")) functions_.emplace(rest.substr(0, rest.find_first_of(", ")));
    } else if (line.starts_with("\t.size\t") && line.substr(7, line.find(',') - 7) == name_) {
      end_function();
    }
    if (line.starts_with("\tcall") && !name_.empty()) {
      call(line);
      return next;
    }
    out_ += line;
    if (line.starts_with("\t.text") || line.starts_with("\t.section\t"))
      in_harmless_section_ = line.starts_with("\t.section\t.text.omen_harmless");
    if (name_.empty()) return next;
    const Instruction instruction = parse_instruction(line.substr(0, line.size() - 1));
    at_entry_ = at_entry_ && (instruction.mnemonic.empty() || instruction.mnemonic == "endbr64");
    if (at_entry_) entry_ = out_.size();
    if (instruction.mnemonic.empty()) return next;
    // Intel syntax is not parsed, so such a function counts as touching memory. An indirect jump may leave the
    // function.
    const bool jumps_anywhere = instruction.mnemonic == "jmp" && instruction.operands.starts_with('*');
    touches_ = use_.touches(instruction) || is_intel_ || jumps_anywhere || touches_;
    is_instrumented_ = is_instrumented_ || is_check(line);
    return next;
  }

  void label(std::string_view name, std::string_view line) {
    use_.at_label();
    out_ += line;
    if (functions_.contains(name) && !is_no_function(name)) {
      end_function();
      name_ = name;
      use_.at_function();
      is_instrumented_ = touches_ = false;
      is_harmless_ = in_harmless_section_;
      at_entry_ = true;
      entry_ = out_.size();
    } else if (at_entry_ && name.starts_with(".LF")) {
      entry_ = out_.size();
    } else {
      at_entry_ = false;  // it is a loop's head
    }
  }

  void end_function() {
    if (!name_.empty() && !is_harmless_ && touches_ && !is_instrumented_) out_.insert(entry_, kLeave);
    name_ = {};
  }

  /// `call *%rbx` and `call *8(%rax)`. Calls through the linkage table are redirected by the runtime.
  void call(std::string_view line) {
    const Instruction instruction = parse_instruction(line.substr(0, line.size() - 1));
    at_entry_ = false;
    is_instrumented_ = is_instrumented_ || is_check(line);
    std::string_view target = instruction.operands;
    if (is_intel_) {
      if (target.contains('[') || (target.starts_with('r') && target.size() <= 3)) put_leave();
      out_ += line;
      return;
    }
    if (!target.starts_with('*') || target.contains('@')) {
      out_ += line;
      return;
    }
    target.remove_prefix(1);
    std::string_view name = "r11";  // no argument is passed in it
    if (target.starts_with('%') && !target.contains(':') && !target.contains('(')) {
      name = target.substr(1);
    } else {
      touches_ = use_.touches({"mov", target, false}) || touches_;
      out_.append("\tmovq\t").append(target).append(", %r11\n");
    }
    out_.append("\tcall\t*__x86_indirect_thunk_").append(name).append("@GOTPCREL(%rip)\n");
  }

  /// In functions that clang does not instrument it still emits calls at entry and exit.
  bool is_check(std::string_view line) const {
    return line.contains("__tsan_") && !(is_clang_ && line.contains("__tsan_func_"));
  }

  void put_leave() { out_.append(kPassRedZone).append(kLeave).append(kBackAgain); }

  /// Handles #APP to #NO_APP. Outside of functions, the block may define functions.
  size_t assembly_block(size_t at) {
    size_t end = text_.find("#NO_APP", at);
    if (end == std::string_view::npos) end = text_.size();
    const std::string_view block = text_.substr(at, end - at);
    const bool touches = !name_.empty() && (assembly_touches(block, use_) || (is_intel_ && has_instruction(block)));
    at_entry_ = false;
    if (touches) put_leave();
    if (name_.empty()) {
      for (size_t begin = at; begin < end;) {
        const size_t stop = std::min(text_.find('\n', begin), end - 1);
        top_level(text_.substr(begin, stop + 1 - begin));
        begin = stop + 1;
      }
      end_function();
    } else {
      out_ += block;
      use_.at_label();
    }
    const size_t stop = text_.find('\n', end);
    out_ += text_.substr(end, stop == std::string_view::npos ? stop : stop + 1 - end);
    return stop == std::string_view::npos ? text_.size() : stop + 1;
  }

  static bool has_instruction(std::string_view block) {
    for (size_t at = 0; at < block.size();) {
      const size_t end = std::min(block.find_first_of("\n;", at), block.size());
      if (!parse_instruction(block.substr(at, end - at)).mnemonic.empty()) return true;
      at = end + 1;
    }
    return false;
  }

  /// A line of file-level assembly: each function begins with a mark, whatever it contains.
  void top_level(std::string_view line) {
    out_ += line;
    std::string_view rest = line;
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    if (rest.starts_with(".type") && (rest.contains("@function") || rest.contains("%function"))) {
      rest.remove_prefix(std::min(rest.find_first_of(" \t"), rest.size()));
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
      functions_.emplace(rest.substr(0, rest.find_first_of(", ")));
      return;
    }
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos || !functions_.contains(rest.substr(0, colon))) return;
    const std::string_view behind = rest.substr(colon + 1);
    if (behind.find_first_not_of(" \t\n") == std::string_view::npos) out_ += kLeave;
  }

  std::string_view text_;
  Constants constants_;
  bool is_intel_, is_clang_;
  MemoryUse use_;
  std::string out_;
  std::set<std::string, std::less<>> functions_;
  std::string_view name_;  // of the current function; empty: outside
  size_t entry_ = 0;       // of the current function, as an offset in the output
  bool in_harmless_section_ = false, is_harmless_ = false;
  bool at_entry_ = false, is_instrumented_ = false, touches_ = false;
};

}  // namespace

std::optional<std::string> marked_assembly(std::string_view text) {
  // The large code model: the target of a call may be out of reach.
  if (!text.contains("__tsan_init") || text.contains("$__tsan_init")) return std::nullopt;
  return Marker(text).run();
}

}  // namespace omen::driver
