#include "symbolize/demangle.hpp"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace omen::symbolize {
namespace {

/// No compiler emits longer names; the demangler's time may grow with the square of the length.
constexpr std::size_t kLongest = 65536;

/// Removes suffixes after the name itself. A dot may also be part of a name, so only known suffixes count.
std::string_view without_ending(std::string_view name) {
  if (const auto at = name.find('@', 1); at != std::string_view::npos) name = name.substr(0, at);
  constexpr std::array<std::string_view, 7> kEndings{".cold",      ".part.", ".constprop.", ".isra.",
                                                     ".lto_priv.", ".llvm.", ".clone."};
  for (const std::string_view ending : kEndings) {
    const auto at = name.find(ending);
    if (at != std::string_view::npos && at != 0) name = name.substr(0, at);
  }
  return name;
}

}  // namespace

std::string demangled(std::string_view name) {
  std::string plain(without_ending(name));
  if (!plain.starts_with("_Z") || plain.size() > kLongest) return plain;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : plain;
}

}  // namespace omen::symbolize
