#include "symbolize/module_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>

#include "symbolize/demangle.hpp"

namespace omen::symbolize {
namespace {

/// Finds debug information by build id and by debug link, in /usr/lib/debug and next to the file. libdwfl's own search
/// would also ask debuginfod servers if the environment names some; then only the build id is used.
int find_debuginfo(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base, const char* file,
                   const char* link, GElf_Word checksum, char** found) {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  const auto search =
      servers == nullptr || *servers == '\0' ? dwfl_standard_find_debuginfo : dwfl_build_id_find_debuginfo;
  return search(module, data, name, base, file, link, checksum, found);
}

/// Never needed: every module is reported with its file.
int find_elf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) {
  return -1;
}

constexpr Dwfl_Callbacks kCallbacks{find_elf, find_debuginfo, dwfl_offline_section_address, nullptr};

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

}  // namespace

ModuleFile::ModuleFile(const Module& module) {
  // A pseudo path ("[vdso]") stands for code without a file. Opening anything but a file might block.
  if (!module.path.starts_with('/')) return;
  std::error_code error;
  if (!std::filesystem::is_regular_file(module.path, error)) {
    note_ = module.path + ": there is no such file any more, so its functions have no names";
    return;
  }
  session_.reset(dwfl_begin(&kCallbacks));
  if (!session_) return;
  Dwfl_Module* file = dwfl_report_elf(session_.get(), module.path.c_str(), module.path.c_str(), -1, 0, true);
  if (file == nullptr || dwfl_report_end(session_.get(), nullptr, nullptr) != 0) {
    note_ = module.path + ": cannot be read as a program or library, so its functions have no names";
    return;
  }
  GElf_Addr bias = 0;
  if (dwfl_module_getelf(file, &bias) == nullptr) return;
  const unsigned char* bits = nullptr;
  GElf_Addr where = 0;
  if (const int size = dwfl_module_build_id(file, &bits, &where); size > 0 && bits != nullptr) {
    build_id_ = hexadecimal({bits, static_cast<std::size_t>(size)});
  }
  if (!module.build_id.empty() && module.build_id != build_id_) {
    note_ = fmt::format("{}: the file has changed since the run (build id {}, then {}), so its functions have no names",
                        module.path, build_id_.empty() ? "none" : build_id_, module.build_id);
    return;
  }
  symbols_ = SymbolTable(file, bias);
  Dwarf_Addr debug_bias = 0;
  if (Dwarf* debug = dwfl_module_getdwarf(file, &debug_bias); debug != nullptr) {
    to_debug_ = bias - debug_bias;
    units_.emplace(debug);
  }
}

std::vector<Frame> ModuleFile::frames(std::uint64_t address) {
  std::vector<Frame> frames;
  const Symbol* symbol = symbols_.function_at(address);
  if (units_) frames = units_->frames(address + to_debug_);
  if (frames.empty() && symbol != nullptr) frames.emplace_back();
  // Debug information has no linkage name for functions with internal linkage. The symbol table has one, with
  // parameters, unless the code belongs to another function's symbol (a shared tail).
  if (!frames.empty() && symbol != nullptr) {
    std::string& function = frames.back().function;
    if (function.empty()) {
      function = demangled(symbol->name);
    } else if (symbol->name.starts_with("_Z")) {
      std::string full = demangled(symbol->name);
      if (full.starts_with(function + "(")) function = std::move(full);
    }
  }
  return frames;
}

}  // namespace omen::symbolize
