/// \file
/// The interface of programs that record values (docs/native.md): the compiler pass writes calls and bitcode, the
/// runtime records, and `native/` reads.
#pragma once

#include <cstdint>

namespace omen::abi {

/// The meaning of a recorded value.
enum class ValueKind : std::uint32_t {
  Result,    ///< the result of the instruction that was just executed: a load, an atomic, an allocation on the stack
  Enter,     ///< the number of the entered function
  Argument,  ///< an argument of that function
  Return,    ///< a call has returned: its result, 0 if it has none
  More,      ///< the second part of a two-part result
  Landing,   ///< the number of the landing pad at which an exception arrived
  Module,    ///< the number of a module; the addresses of its globals follow
  Address,
};

inline constexpr const char* kValueFunctions[] = {"__omen_value_result", "__omen_value_enter", "__omen_value_argument",
                                                  "__omen_value_return", "__omen_value_more",  "__omen_value_landing"};
inline constexpr const char* kValuesModule = "__omen_values_module";  ///< (addresses, count, number of the module)

/// Precedes each module's bitcode in the section; the bitcode is padded to 8 bytes.
struct BitcodeHeader {
  char magic[8];
  std::uint64_t module;
  std::uint64_t bytes;
};
inline constexpr const char* kBitcodeSection = ".omen.bc";
inline constexpr char kBitcodeMagic[9] = "OMENBC01";

/// Metadata of an instruction whose result is recorded.
inline constexpr const char* kRecordedMark = "omen.recorded";
/// Metadata of a module: its globals, in the order of the recorded addresses.
inline constexpr const char* kGlobalsList = "omen.globals";

/// A function's number is its module's number plus an index in the lowest bits.
inline constexpr std::uint64_t kFunctionBits = 24;

}  // namespace omen::abi
