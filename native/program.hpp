/// \file
/// The recorded program as LLVM IR: the bitcode that its files carry, and where its globals were when it ran.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/recording.hpp"
#include "trace/error.hpp"

namespace llvm {
class Function;
class GlobalValue;
class GlobalVariable;
class LLVMContext;
class Module;
}  // namespace llvm

namespace omen::native {

class Program {
 public:
  /// Reads the bitcode of all modules that recorded values.
  static std::expected<Program, InputError> load(const Recording& recording);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  /// By the number that it says when it is entered; null if nobody knows it.
  const llvm::Function* function(std::uint64_t number) const;
  /// That a call of it executes, if it records values and no other may be put in its place; else null.
  const llvm::Function* definition(const llvm::Function& function) const;
  const llvm::Function* function_at(std::uint64_t address) const;
  /// What the program's variable at this address holds before it runs; nothing if there is none, or an address is in
  /// it.
  std::optional<std::uint64_t> initial(std::uint64_t address, std::uint64_t bytes) const;
  /// What the source calls this memory: `x`, or `table+8:4` for a part of a variable; empty if it is in none.
  std::string name(std::uint64_t address, std::uint64_t bytes) const;
  bool has_functions() const { return !functions_.empty(); }
  /// Where it was; 0 if that was not recorded.
  std::uint64_t address_of(const llvm::GlobalValue& global) const;

 private:
  Program();
  void add(std::unique_ptr<llvm::Module> module, std::uint64_t number, const std::vector<std::uint64_t>& addresses);

  std::unique_ptr<llvm::LLVMContext> context_;
  std::vector<std::unique_ptr<llvm::Module>> modules_;
  std::unordered_map<std::uint64_t, const llvm::Function*> functions_;
  std::unordered_map<std::string, const llvm::Function*> by_name_;  ///< null: several, which may differ
  std::unordered_map<const llvm::GlobalValue*, std::uint64_t> addresses_;
  std::unordered_map<std::uint64_t, const llvm::Function*> at_;
  /// The program's variable that holds these bytes; null if there is none.
  const llvm::GlobalVariable* variable(std::uint64_t address, std::uint64_t bytes, std::uint64_t& offset) const;

  std::map<std::uint64_t, const llvm::GlobalVariable*> variables_;  ///< by address: those with content
};

}  // namespace omen::native
