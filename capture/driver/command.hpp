/// \file
/// Builds the command that the driver runs in place of its own.
///
/// -fsanitize=thread stands for two things, instrumentation and the runtime. clang can omit the runtime
/// (-fno-sanitize-link-runtime). GCC cannot, so when it links, a specs file passes the option to the compiler proper
/// only. That also instruments code of link-time optimisation, which GCC compiles at the link.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "capture/driver/compiler.hpp"
#include "capture/driver/failure.hpp"
#include "capture/driver/request.hpp"

namespace omen::driver {

/// The clang whose LLVM the plugins (capture/pass) were built for; other versions do not load them.
inline constexpr int kPluginClang = 19;

/// The GCC that built the plugin (capture/gcc).
inline constexpr int kPluginGcc = 12;

/// The plugin for this command; empty if there is none.
std::string plugin_for(const Compiler& compiler, const Request& request, const std::string& self);

/// `self` is the driver's own file, from which the runtime is found.
std::expected<std::vector<std::string>, Failure> make_command(const Compiler& compiler, const Request& request,
                                                              const std::string& plugin, const std::string& self);

}  // namespace omen::driver
