/// \file
/// The command that the driver runs in place of the one that it was called with.
///
/// Instrumentation and runtime are two things to both compilers' drivers, but -fsanitize=thread names both. clang can
/// leave the runtime out (-fno-sanitize-link-runtime). GCC cannot; so when it links, a specs file gives the option to
/// the compiler proper alone. That also instruments link-time optimised code, which GCC instruments while it links.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "capture/driver/compiler.hpp"
#include "capture/driver/failure.hpp"
#include "capture/driver/request.hpp"

namespace omen::driver {

/// The clang whose LLVM the plugins (capture/pass) were built for; others do not load them.
inline constexpr int kPluginClang = 19;

/// The GCC that the plugin (capture/gcc) was built by.
inline constexpr int kPluginGcc = 12;

/// The plugin for this command; empty if it has none.
std::string plugin_for(const Compiler& compiler, const Request& request, const std::string& self);

/// `self` is the driver's own file: the runtime is found from there.
std::expected<std::vector<std::string>, Failure> make_command(const Compiler& compiler, const Request& request,
                                                              const std::string& plugin, const std::string& self);

}  // namespace omen::driver
