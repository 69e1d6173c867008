#include "native/program.hpp"

#include <cstring>

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace omen::native {
namespace {

/// The addresses of globals, by module.
std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> recorded_addresses(const Recording& recording) {
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> modules;
  for (const std::vector<Item>& items : recording.threads) {
    std::vector<std::uint64_t>* now = nullptr;
    for (const Item& item : items) {
      if (item.is_event) continue;
      if (item.kind == abi::ValueKind::Module) {
        now = &modules[item.bits];
        now->clear();
      } else if (item.kind == abi::ValueKind::Address && now != nullptr) {
        now->push_back(item.bits);
      }
    }
  }
  return modules;
}

/// The number that a function says when it is entered; 0 if it says none.
std::uint64_t number_of(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : function.getEntryBlock()) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || callee->getName() != "__omen_value_enter") continue;
    return llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
  }
  return 0;
}

/// The content of the section with bitcode; empty if there is none.
llvm::StringRef section_of(const llvm::object::ObjectFile& file) {
  for (const llvm::object::SectionRef& section : file.sections()) {
    auto name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
    } else if (*name == abi::kBitcodeSection) {
      auto content = section.getContents();
      if (content) return *content;
      llvm::consumeError(content.takeError());
    }
  }
  return {};
}

}  // namespace

Program::Program() : context_(std::make_unique<llvm::LLVMContext>()) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() {
  modules_.clear();
}

std::expected<Program, InputError> Program::load(const Recording& recording) {
  Program program;
  const auto addresses = recorded_addresses(recording);
  std::size_t found = 0;
  for (const Module& file : recording.info.modules) {
    auto bytes = llvm::MemoryBuffer::getFile(file.path);
    if (!bytes) continue;
    auto object = llvm::object::ObjectFile::createObjectFile((*bytes)->getMemBufferRef());
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    llvm::StringRef rest = section_of(**object);
    while (rest.size() >= sizeof(abi::BitcodeHeader)) {
      abi::BitcodeHeader header;
      std::memcpy(&header, rest.data(), sizeof header);
      if (std::memcmp(header.magic, abi::kBitcodeMagic, sizeof header.magic) != 0 ||
          header.bytes > rest.size() - sizeof header) {
        return std::unexpected(InputError{file.path, "", "expected the bitcode of a module in the section .omen.bc"});
      }
      const llvm::StringRef content = rest.substr(sizeof header, header.bytes);
      rest = rest.drop_front(std::min<std::size_t>(rest.size(), sizeof header + (header.bytes + 7) / 8 * 8));
      const auto at = addresses.find(header.module);
      if (at == addresses.end()) continue;  // another version of the file
      auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(content, file.path), *program.context_);
      if (!module) return std::unexpected(InputError{file.path, "", llvm::toString(module.takeError())});
      program.add(std::move(*module), header.module, at->second);
      ++found;
    }
  }
  if (found < addresses.size()) {
    return std::unexpected(InputError{recording.info.command.empty() ? "" : recording.info.command[0], "",
                                      "expected the bitcode of all modules; the program has changed since it ran"});
  }
  return program;
}

void Program::add(std::unique_ptr<llvm::Module> module, std::uint64_t, const std::vector<std::uint64_t>& addresses) {
  if (const llvm::NamedMDNode* const list = module->getNamedMetadata(abi::kGlobalsList)) {
    for (unsigned i = 0; i < list->getNumOperands() && i < addresses.size(); ++i) {
      const auto* const node = list->getOperand(i);
      const auto* const value =
          node->getNumOperands() == 0 ? nullptr : llvm::dyn_cast_or_null<llvm::ConstantAsMetadata>(node->getOperand(0));
      if (value == nullptr) continue;
      const auto* const global = llvm::dyn_cast<llvm::GlobalValue>(value->getValue());
      if (global == nullptr) continue;
      addresses_[global] = addresses[i];
      if (const auto* const function = llvm::dyn_cast<llvm::Function>(global)) at_.try_emplace(addresses[i], function);
      const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(global);
      if (variable != nullptr && variable->hasInitializer()) variables_[addresses[i]] = variable;
    }
  }
  for (const llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    const std::uint64_t number = number_of(function);
    if (number == 0) continue;
    functions_[number] = &function;
    if (function.hasLocalLinkage()) continue;
    const auto [at, is_new] = by_name_.try_emplace(function.getName().str(), &function);
    if (!is_new && !function.hasLinkOnceODRLinkage() && !function.hasWeakODRLinkage()) at->second = nullptr;
  }
  modules_.push_back(std::move(module));
}

const llvm::Function* Program::function(std::uint64_t number) const {
  const auto found = functions_.find(number);
  return found == functions_.end() ? nullptr : found->second;
}

const llvm::Function* Program::definition(const llvm::Function& function) const {
  if (!function.isDeclaration() && !function.isInterposable() && number_of(function) != 0) return &function;
  const auto found = by_name_.find(function.getName().str());
  if (function.hasLocalLinkage() || found == by_name_.end() || found->second == nullptr) return nullptr;
  return found->second->isInterposable() ? nullptr : found->second;
}

const llvm::Function* Program::function_at(std::uint64_t address) const {
  const auto found = at_.find(address);
  return found == at_.end() ? nullptr : found->second;
}

const llvm::GlobalVariable* Program::variable(std::uint64_t address, std::uint64_t bytes, std::uint64_t& offset) const {
  const auto behind = variables_.upper_bound(address);
  if (behind == variables_.begin() || bytes == 0) return nullptr;
  const auto& [begin, variable] = *std::prev(behind);
  offset = address - begin;
  const std::uint64_t size = variable->getParent()->getDataLayout().getTypeAllocSize(variable->getValueType());
  return offset + bytes <= size ? variable : nullptr;
}

std::optional<std::uint64_t> Program::initial(std::uint64_t address, std::uint64_t bytes) const {
  std::uint64_t offset = 0;
  const llvm::GlobalVariable* const variable = this->variable(address, bytes, offset);
  if (variable == nullptr || bytes > 8) return std::nullopt;
  auto* const type = llvm::IntegerType::get(variable->getContext(), static_cast<unsigned>(bytes * 8));
  auto* const content = const_cast<llvm::Constant*>(variable->getInitializer());
  const auto* const number = llvm::dyn_cast_or_null<llvm::ConstantInt>(
      llvm::ConstantFoldLoadFromConst(content, type, llvm::APInt(64, offset), variable->getParent()->getDataLayout()));
  return number == nullptr ? std::nullopt : std::optional(number->getZExtValue());
}

std::string Program::name(std::uint64_t address, std::uint64_t bytes) const {
  std::uint64_t offset = 0;
  const llvm::GlobalVariable* const variable = this->variable(address, bytes, offset);
  if (variable == nullptr || !variable->hasName()) return {};
  std::string name = llvm::demangle(variable->getName());
  const std::uint64_t size = variable->getParent()->getDataLayout().getTypeAllocSize(variable->getValueType());
  if (offset != 0 || bytes != size) name += "+" + std::to_string(offset) + ":" + std::to_string(bytes);
  return name;
}

std::uint64_t Program::address_of(const llvm::GlobalValue& global) const {
  const auto found = addresses_.find(&global);
  return found == addresses_.end() ? 0 : found->second;
}

}  // namespace omen::native
