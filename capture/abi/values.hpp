/// \file
/// Programs that record values (docs/native.md): what the compiler pass writes, the runtime records, and `native/`
/// reads.
#pragma once

#include <cstdint>

namespace omen::abi {

/// What a value in a recording is.
enum class ValueKind : std::uint32_t {
  Result,    ///< of an instruction that was just executed: a load, an atomic, an allocation on the stack
  Enter,     ///< the number of the function that was entered
  Argument,  ///< of that function
  Return,    ///< a call has come back; its result, 0 if it has none
  More,      ///< the second part of a result that has two
  Landing,   ///< the number of the landing pad at which an exception arrived
  Module,    ///< the number of a module; then the addresses of its globals
  Address,
};

inline constexpr const char* kValueFunctions[] = {"__omen_value_result", "__omen_value_enter", "__omen_value_argument",
                                                  "__omen_value_return", "__omen_value_more",  "__omen_value_landing"};
inline constexpr const char* kValuesModule = "__omen_values_module";  ///< (addresses, how many, number of the module)

/// A section has one of these for each module, and the module's bitcode behind it, filled up to 8 bytes.
struct BitcodeHeader {
  char magic[8];
  std::uint64_t module;
  std::uint64_t bytes;
};
inline constexpr const char* kBitcodeSection = ".omen.bc";
inline constexpr char kBitcodeMagic[9] = "OMENBC01";

/// Metadata of an instruction: its result is in the recording.
inline constexpr const char* kRecordedMark = "omen.recorded";
/// Metadata of a module: the globals in the order of their addresses.
inline constexpr const char* kGlobalsList = "omen.globals";

/// A function's number: that of the module, with the lowest bits telling which.
inline constexpr std::uint64_t kFunctionBits = 24;

}  // namespace omen::abi
