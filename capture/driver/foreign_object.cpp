#include "capture/driver/foreign_object.hpp"

#include <elf.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include "capture/abi/tool_note.hpp"
#include "capture/driver/marked_assembly.hpp"

namespace omen::driver {
namespace {

/// A checked view of a relocatable object for x86-64.
class Object {
 public:
  explicit Object(std::span<const char> file) : file_(file) {
    const auto* const header = array<Elf64_Ehdr>(0, 1).data();
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_type != ET_REL || header->e_machine != EM_X86_64) {
      return;
    }
    is_object_ = true;
    // With more sections than Elf64_Sym can name, e_shnum is 0 and their numbers are in a separate table.
    if (header->e_shnum == 0 || header->e_shentsize != sizeof(Elf64_Shdr)) return;
    sections_ = array<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (header->e_shstrndx >= sections_.size()) return;
    names_ = bytes_of(sections_[header->e_shstrndx]);
    for (size_t i = 1; i < sections_.size(); ++i) {
      if (sections_[i].sh_type != SHT_SYMTAB || sections_[i].sh_link >= sections_.size()) continue;
      table_ = i;
      symbols_ = array<Elf64_Sym>(sections_[i].sh_offset, sections_[i].sh_size / sizeof(Elf64_Sym));
      symbol_names_ = bytes_of(sections_[sections_[i].sh_link]);
    }
    is_whole_ = !sections_.empty() && !names_.empty() && names_.back() == 0 &&
                (symbols_.empty() || (!symbol_names_.empty() && symbol_names_.back() == 0));
  }

  bool is_object() const { return is_object_; }
  bool is_whole() const { return is_whole_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }
  std::span<const Elf64_Sym> symbols() const { return symbols_; }
  size_t symbol_table() const { return table_; }  ///< index of the section; 0: none
  std::string_view name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }
  std::string_view name(const Elf64_Sym& symbol) const { return text(symbol_names_, symbol.st_name); }

  std::span<const char> bytes_of(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::span<const char>() : array<char>(section.sh_offset, section.sh_size);
  }
  std::span<const Elf64_Rela> relocations(const Elf64_Shdr& section) const {
    return array<Elf64_Rela>(section.sh_offset, section.sh_size / sizeof(Elf64_Rela));
  }
  bool has_code(const Elf64_Sym& symbol) const {
    return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < sections_.size() &&
           (sections_[symbol.st_shndx].sh_flags & SHF_EXECINSTR) != 0;
  }

 private:
  /// Empty if the file does not contain the whole array, or the array is misaligned.
  template <typename T>
  std::span<const T> array(uint64_t offset, uint64_t count) const {
    if (offset > file_.size() || count > (file_.size() - offset) / sizeof(T)) return {};
    const char* const begin = file_.data() + offset;
    if (reinterpret_cast<uintptr_t>(begin) % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(begin), count};
  }
  static std::string_view text(std::span<const char> table, uint64_t at) {
    return at < table.size() ? std::string_view(table.data() + at) : std::string_view();
  }

  std::span<const char> file_;
  std::span<const Elf64_Shdr> sections_;
  std::span<const Elf64_Sym> symbols_;
  std::span<const char> names_, symbol_names_;
  size_t table_ = 0;
  bool is_object_ = false, is_whole_ = false;
};

/// Every instrumented translation unit calls it from a constructor, with either compiler.
constexpr std::string_view kInit = "__tsan_init";

/// Writes the new file: contents keep their offsets, except for the tables, which grow and move to the end.
class Rewriter {
 public:
  Rewriter(std::span<const char> file, const Object& object, const ForeignRules& rules)
      : object_(object),
        rules_(rules),
        out_(file.begin(), file.end()),
        sections_(object.sections().begin(), object.sections().end()),
        symbols_(object.symbols().begin(), object.symbols().end()) {
    const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(file.data());
    names_section_ = header.e_shstrndx;
    texts_section_ = sections_[object.symbol_table()].sh_link;
    // One string table may serve both purposes.
    names_ = copy(names_section_);
    texts_ = copy(texts_section_);
  }

  std::optional<std::vector<char>> run() {
    std::map<uint32_t, std::vector<uint32_t>> functions;  // by section
    for (uint32_t i = sections_[object_.symbol_table()].sh_info; i < symbols_.size(); ++i) {
      if (is_function(symbols_[i])) functions[symbols_[i].st_shndx].push_back(i);
    }
    const bool renamed = rules_.renames_sections && rename_code();
    if (functions.empty() && !renamed) return std::nullopt;
    if (!functions.empty()) {
      leave_ = add_symbol("__omen_leave", {0, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), STV_DEFAULT, SHN_UNDEF, 0, 0});
      for (const auto& [section, list] : functions) add_stubs(section, list);
      if (sections_.size() >= SHN_LORESERVE) return std::nullopt;
      retarget();
    }
    finish();
    return std::move(out_);
  }

 private:
  std::vector<char> copy(uint32_t section) const {
    const auto bytes = object_.bytes_of(object_.sections()[section]);
    return {bytes.begin(), bytes.end()};
  }

  bool is_function(const Elf64_Sym& symbol) const {
    const auto bind = ELF64_ST_BIND(symbol.st_info), type = ELF64_ST_TYPE(symbol.st_info);
    if ((bind != STB_GLOBAL && bind != STB_WEAK) || !object_.has_code(symbol)) return false;
    const std::string_view name = object_.name(symbol);
    if (name.empty() || name.starts_with("__x86") || name == "_init" || name == "_fini" || name == "_start")
      return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC) return !rules_.is_harmless(name);
    if (type != STT_NOTYPE) return false;
    if (rules_.is_only_called(name)) return true;
    rules_.left_alone(name);
    return false;
  }

  bool rename_code() {
    bool any = false;
    const uint32_t name = add_text(names_, kForeignSection);
    for (Elf64_Shdr& section : sections_) {
      const std::string_view old = object_.name(object_.sections()[static_cast<size_t>(&section - sections_.data())]);
      if ((section.sh_flags & SHF_EXECINSTR) == 0 || (old != ".text" && !old.starts_with(".text."))) continue;
      section.sh_name = name;
      any = any || section.sh_size != 0;
    }
    return any;
  }

  static uint32_t add_text(std::vector<char>& table, std::string_view text) {
    const auto at = static_cast<uint32_t>(table.size());
    table.insert(table.end(), text.begin(), text.end());
    table.push_back(0);
    return at;
  }
  uint32_t add_symbol(std::string_view name, Elf64_Sym symbol) {
    symbol.st_name = add_text(texts_section_ == names_section_ ? names_ : texts_, name);
    symbols_.push_back(symbol);
    return static_cast<uint32_t>(symbols_.size() - 1);
  }
  uint32_t add_section(std::string_view name, Elf64_Shdr section, const void* bytes, size_t size) {
    while (out_.size() % 16 != 0) out_.push_back(0);
    section.sh_name = add_text(names_, name);
    section.sh_offset = out_.size();
    section.sh_size = size;
    out_.insert(out_.end(), static_cast<const char*>(bytes), static_cast<const char*>(bytes) + size);
    sections_.push_back(section);
    return static_cast<uint32_t>(sections_.size() - 1);
  }

  /// Adds one section of stubs per section of functions, so that the linker drops both together.
  void add_stubs(uint32_t section, const std::vector<uint32_t>& functions) {
    static constexpr unsigned char kStub[16] = {0xf3, 0x0f, 0x1e, 0xfa,            // endbr64
                                                0xff, 0x15, 0,    0,    0, 0,      // call *__omen_leave@GOTPCREL(%rip)
                                                0xe9, 0,    0,    0,    0, 0x90};  // jmp to the function
    std::vector<char> code;
    std::vector<Elf64_Rela> relocations;
    std::map<uint64_t, std::pair<uint64_t, uint32_t>>
        stubs;  // offset → stub and symbol; a function may have several names
    const auto stub_section = static_cast<uint16_t>(sections_.size());
    for (const uint32_t index : functions) {
      const Elf64_Sym old = symbols_[index];
      const auto [stub, is_new] = stubs.try_emplace(old.st_value, std::pair{code.size(), 0});
      if (is_new) {
        std::string name(object_.name(old));
        for (char& c : name) c = c == '@' ? '.' : c;  // '@' would begin a version
        Elf64_Sym clone = old;
        clone.st_other = STV_HIDDEN;
        stub->second.second = add_symbol(name + ".omen", clone);
        const uint64_t at = code.size();
        code.insert(code.end(), std::begin(kStub), std::end(kStub));
        relocations.push_back({at + 6, ELF64_R_INFO(uint64_t{leave_}, R_X86_64_GOTPCRELX), -4});
        relocations.push_back({at + 11, ELF64_R_INFO(uint64_t{stub->second.second}, R_X86_64_PLT32), -4});
      }
      clones_[index] = stub->second.second;
      symbols_[index].st_shndx = stub_section;
      symbols_[index].st_value = stub->second.first;
      symbols_[index].st_size = sizeof kStub;
      symbols_[index].st_info = static_cast<unsigned char>(ELF64_ST_INFO(ELF64_ST_BIND(old.st_info), STT_FUNC));
    }
    const uint64_t group = sections_[section].sh_flags & SHF_GROUP;
    Elf64_Shdr stub{};
    stub.sh_type = SHT_PROGBITS;
    stub.sh_flags = SHF_ALLOC | SHF_EXECINSTR | group;
    stub.sh_addralign = 16;
    add_section(".text.omen_stubs", stub, code.data(), code.size());
    Elf64_Shdr rela{};
    rela.sh_type = SHT_RELA;
    rela.sh_flags = SHF_INFO_LINK | group;
    rela.sh_addralign = 8;
    rela.sh_entsize = sizeof(Elf64_Rela);
    rela.sh_link = static_cast<uint32_t>(object_.symbol_table());
    rela.sh_info = stub_section;
    add_section(".rela.text.omen_stubs", rela, relocations.data(), relocations.size() * sizeof(Elf64_Rela));
    if (group != 0) join_group(section, {stub_section, static_cast<uint32_t>(sections_.size() - 1)});
  }

  void join_group(uint32_t member, std::initializer_list<uint32_t> more) {
    for (Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_GROUP || section.sh_offset + section.sh_size > out_.size()) continue;
      std::vector<uint32_t> words(section.sh_size / sizeof(uint32_t));
      std::memcpy(words.data(), out_.data() + section.sh_offset, words.size() * sizeof(uint32_t));
      bool is_member = false;
      for (size_t i = 1; i < words.size(); ++i) is_member = is_member || words[i] == member;
      if (!is_member) continue;
      words.insert(words.end(), more);
      place(section, words.data(), words.size() * sizeof(uint32_t));
      return;
    }
  }

  /// Redirects references into the middle of a function, and references that describe its code, from the stub to the
  /// code.
  void retarget() {
    for (size_t i = 0; i < object_.sections().size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (section.sh_type != SHT_RELA || section.sh_info >= object_.sections().size()) continue;
      const Elf64_Shdr& target = object_.sections()[section.sh_info];
      const bool describes = (target.sh_flags & SHF_ALLOC) == 0 || object_.name(target) == ".eh_frame" ||
                             object_.name(target).starts_with(".gcc_except_table");
      const size_t count = object_.relocations(section).size();
      for (size_t j = 0; j < count; ++j) {
        char* const at = out_.data() + section.sh_offset + j * sizeof(Elf64_Rela);
        Elf64_Rela relocation;
        std::memcpy(&relocation, at, sizeof relocation);
        const auto clone = clones_.find(static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info)));
        if (clone == clones_.end() || (!describes && is_to_begin(relocation))) continue;
        relocation.r_info = ELF64_R_INFO(uint64_t{clone->second}, ELF64_R_TYPE(relocation.r_info));
        std::memcpy(at, &relocation, sizeof relocation);
      }
    }
  }
  static bool is_to_begin(const Elf64_Rela& relocation) {
    switch (ELF64_R_TYPE(relocation.r_info)) {
      case R_X86_64_64:
      case R_X86_64_32:
      case R_X86_64_32S:
        return relocation.r_addend == 0;
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
        return relocation.r_addend == -4;
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        return true;
      default:
        return false;
    }
  }

  /// Replaces a section's bytes; the new ones are at the end of the file.
  void place(Elf64_Shdr& section, const void* bytes, size_t size) {
    while (out_.size() % 16 != 0) out_.push_back(0);
    section.sh_offset = out_.size();
    section.sh_size = size;
    out_.insert(out_.end(), static_cast<const char*>(bytes), static_cast<const char*>(bytes) + size);
  }

  void finish() {
    place(sections_[names_section_], names_.data(), names_.size());
    if (texts_section_ != names_section_) place(sections_[texts_section_], texts_.data(), texts_.size());
    place(sections_[object_.symbol_table()], symbols_.data(), symbols_.size() * sizeof(Elf64_Sym));
    Elf64_Shdr table{};
    place(table, sections_.data(), sections_.size() * sizeof(Elf64_Shdr));
    Elf64_Ehdr header;
    std::memcpy(&header, out_.data(), sizeof header);
    header.e_shoff = table.sh_offset;
    header.e_shnum = static_cast<uint16_t>(sections_.size());
    std::memcpy(out_.data(), &header, sizeof header);
  }

  const Object& object_;
  const ForeignRules& rules_;
  std::vector<char> out_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::vector<char> names_, texts_;
  uint32_t names_section_ = 0, texts_section_ = 0, leave_ = 0;
  std::map<uint32_t, uint32_t> clones_;  // symbol → the hidden one for its code
};

/// clang's bitcode contains the names of symbols as plain text.
ObjectKind kind_of_clangs_bitcode(std::span<const char> file) {
  const std::string_view text(file.data(), file.size());
  if (!text.contains(kInit)) return ObjectKind::Unknown;
  return text.contains(kMarkedSymbol) ? ObjectKind::Instrumented : ObjectKind::Unmarked;
}

ObjectKind kind_of(std::span<const char> file, const Object& object) {
  if (file.size() >= 4 &&
      (std::memcmp(file.data(), "BC\xC0\xDE", 4) == 0 || std::memcmp(file.data(), "\xDE\xC0\x17\x0B", 4) == 0)) {
    return kind_of_clangs_bitcode(file);
  }
  if (!object.is_object()) return ObjectKind::NoObject;
  if (!object.is_whole()) return ObjectKind::Unknown;
  bool code = false;
  for (const Elf64_Shdr& section : object.sections()) {
    if (object.name(section).starts_with(".gnu.lto_")) return ObjectKind::Bitcode;
    if (section.sh_type == SHT_SYMTAB_SHNDX) return ObjectKind::Unknown;
    code = code || ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size != 0);
  }
  bool instrumented = false, marked = false;
  for (const Elf64_Sym& symbol : object.symbols()) {
    instrumented = instrumented || object.name(symbol) == kInit;
    marked = marked || object.name(symbol) == kMarkedSymbol;
  }
  if (instrumented) return marked ? ObjectKind::Instrumented : ObjectKind::Unmarked;
  return code ? ObjectKind::Foreign : ObjectKind::NoObject;
}

}  // namespace

ObjectKind kind_of_object(std::span<const char> file) {
  return kind_of(file, Object(file));
}

std::vector<char> note_object(std::string_view section, uint32_t type, std::string_view content) {
  const std::array<Elf64_Word, 3> sizes = {sizeof kNoteOwner, static_cast<Elf64_Word>(content.size()), type};
  std::string note(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  note.append(kNoteOwner, sizeof kNoteOwner).resize((note.size() + 3) / 4 * 4);
  note.append(content).resize((note.size() + 3) / 4 * 4);
  std::string names("\0.shstrtab\0", 11);
  const size_t name = names.size();
  names.append(section).push_back(0);
  const size_t stack_name = names.size();
  names.append(".note.GNU-stack").push_back(0);
  while (names.size() % 4 != 0) names.push_back(0);
  std::array<Elf64_Shdr, 4> sections{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof(Elf64_Ehdr) + sizeof sections;
  sections[1].sh_size = names.size();
  sections[1].sh_addralign = 1;
  sections[2].sh_name = static_cast<uint32_t>(name);
  // --gc-sections keeps notes.
  sections[2].sh_type = SHT_NOTE;
  sections[2].sh_flags = SHF_ALLOC;
  sections[2].sh_offset = sections[1].sh_offset + names.size();
  sections[2].sh_size = note.size();
  sections[2].sh_addralign = 4;
  // Without this section the linker assumes that the object needs an executable stack.
  sections[3].sh_name = static_cast<uint32_t>(stack_name);
  sections[3].sh_type = SHT_PROGBITS;
  sections[3].sh_offset = sections[2].sh_offset;
  sections[3].sh_addralign = 1;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = sections.size();
  header.e_shstrndx = 1;
  std::vector<char> out(sections[2].sh_offset + note.size());
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, sections.data(), sizeof sections);
  std::memcpy(out.data() + sizeof header + sizeof sections, names.data(), names.size());
  std::memcpy(out.data() + sections[2].sh_offset, note.data(), note.size());
  return out;
}

std::optional<std::vector<char>> with_stubs(std::span<const char> file, const ForeignRules& rules) {
  const Object object(file);
  if (kind_of(file, object) != ObjectKind::Foreign || object.symbol_table() == 0) return std::nullopt;
  return Rewriter(file, object, rules).run();
}

void list_uses(std::span<const char> file, const std::function<void(std::string_view, bool called)>& use) {
  const Object object(file);
  if (!object.is_object() || !object.is_whole()) return;
  for (const Elf64_Shdr& section : object.sections()) {
    if (section.sh_type != SHT_RELA || section.sh_info >= object.sections().size()) continue;
    if ((object.sections()[section.sh_info].sh_flags & SHF_ALLOC) == 0) continue;
    for (const Elf64_Rela& relocation : object.relocations(section)) {
      const uint64_t index = ELF64_R_SYM(relocation.r_info);
      if (index >= object.symbols().size() || object.symbols()[index].st_shndx != SHN_UNDEF) continue;
      use(object.name(object.symbols()[index]), ELF64_R_TYPE(relocation.r_info) == R_X86_64_PLT32);
    }
  }
}

}  // namespace omen::driver
