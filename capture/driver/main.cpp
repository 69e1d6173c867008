/// \file
/// omen-cc and omen-c++: run in place of a C or C++ compiler, and make it instrument the program and link omen's
/// runtime. The name of the command decides about the language. The driver changes the command line, and becomes the
/// compiler.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "capture/driver/command.hpp"
#include "capture/driver/compiler.hpp"
#include "capture/driver/request.hpp"
#include "capture/driver/response_files.hpp"
#include "capture/driver/tools.hpp"

namespace omen::driver {
namespace {

constexpr const char* kHelp =
    R"(omen-cc and omen-c++ stand in for a compiler: what they make is instrumented for `omen run`.

  CC=omen-cc CXX=omen-c++ ./configure && make
  omen-c++ -g -O1 -pthread prog.cpp -o prog && omen run -- ./prog

Every option goes to the compiler. Only these are looked at:
  --omen-help           this text
  --omen-show           prints the command instead of running it, and to standard error which checks are placed
  --omen-behind CC …    first of all: CC is the compiler behind, and the rest its arguments; for CMake's COMPILER_LAUNCHER
  --omen-no-placement   leaves every check where the compiler puts it; clang 19 otherwise makes fewer and larger ones
  --omen-placement=P    bigfoot (all of that, as without the option), redcard (takes away redundant checks), none
  --omen-verify-placement
                        the program itself compares its checks with its accesses while it runs, and says what is wrong
  --omen-values         also records the values that the program computes with, for `omen record --values`; clang 19 only
  -fno-sanitize=thread  compiles a file, or links a program, as if omen was not there
  -fsanitize=address, hwaddress, memory, leak, -static, -m32 are refused: they do not go together with race detection

Environment:
  OMEN_CC, OMEN_CXX     the compiler behind, GCC 12 or clang 14 or newer; words before it are kept: OMEN_CC="ccache clang-19"
  OMEN_RUNTIME          libomen_rt.a, or its folder, where it is not beside omen-cc
  OMEN_PLACEMENT        off: as --omen-no-placement
)";

/// Quotes a word for a shell.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The configuration of placed checks, or why there are none; empty if nothing is compiled.
std::string placement_of(const Request& request, bool places) {
  if (!request.instruments || !request.compiles) return {};
  if (!request.places_checks) return "placement: none, as was asked for";
  if (places) return request.only_redundant ? "placement: redcard" : "placement: bigfoot";
  if (!request.takes_plugin) return "placement: none, together with coverage";
  return "placement: none, it needs clang " + std::to_string(kPluginClang) + " and omen_placement.so";
}

int show(const std::vector<std::string>& command, const std::string& placement) {
  if (!placement.empty()) std::fprintf(stderr, "%s\n", placement.c_str());
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + quoted(word);
  std::puts(line.c_str());
  return 0;
}

int fail(const std::string& me, const Failure& failure) {
  std::fprintf(stderr, "%s: error: %s\n", me.c_str(), failure.message.c_str());
  return failure.code;
}

/// Becomes the compiler; returns only on failure.
int become(const std::string& me, const Compiler& compiler, std::vector<std::string> command) {
  if (too_long(command)) {
    const auto head = command.begin() + static_cast<std::ptrdiff_t>(compiler.words.size());
    const std::string file = as_response_file({head, command.end()});
    if (!file.empty()) {
      command.erase(head, command.end());
      command.push_back(file);
    }
  }
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return fail(me, {kUnavailable, command[0] + " cannot be run: " + std::strerror(errno)});
}

/// The output depends on a file that ccache does not know; ccache hashes the files that this variable names.
void tell_ccache(const std::string& plugin) {
  const char* const others = std::getenv("CCACHE_EXTRAFILES");
  const std::string files = others != nullptr && *others != 0 ? plugin + ":" + others : plugin;
  setenv("CCACHE_EXTRAFILES", files.c_str(), 1);
}

/// Accepts BigFoot's configurations, except those that differ only in the shadow of arrays, which the runtime always
/// compresses.
std::expected<void, Failure> choose_placement(std::string_view name, Request& request) {
  const auto other = name == "slimstate" ? "none" : name == "slimcard" ? "redcard" : "";
  if (*other != 0) {
    return std::unexpected(Failure{kRefused, "--omen-placement=" + std::string(name) + " would be " + other +
                                                 " with compressed shadow, which omen's always is: ask for " + other});
  }
  if (name != "none" && name != "redcard" && name != "bigfoot") {
    return std::unexpected(
        Failure{kRefused, "--omen-placement=" + std::string(name) + " is not known: it is bigfoot, redcard or none"});
  }
  request.places_checks = name != "none";
  request.only_redundant = name == "redcard";
  return {};
}

int run(int argc, char** argv) {
  namespace fs = std::filesystem;
  const std::string me = fs::path(argc > 0 ? argv[0] : "omen-cc").filename().string();
  const Language language = me.contains("++") ? Language::Cxx : Language::C;
  std::error_code error;
  const std::string self = fs::read_symlink("/proc/self/exe", error).string();
  if (const Tool tool = tool_called(me); tool != Tool::None) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return tool == Tool::Assembler ? assemble(me, arguments, self) : link(me, arguments, self);
  }

  bool only_show = false;
  const char* const wish = std::getenv("OMEN_PLACEMENT");
  Request placement;
  placement.places_checks = wish == nullptr || std::string_view(wish) != "off";
  const bool is_launcher = argc > 1 && std::string_view(argv[1]) == "--omen-behind";
  bool records_values = false;
  std::vector<std::string> given;
  for (int at = is_launcher ? 2 : 1; at < argc; ++at) {
    const std::string argument = argv[at];
    if (argument == "--omen-help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (argument == "--omen-show") {
      only_show = true;
    } else if (argument == "--omen-no-placement") {
      placement.places_checks = false;
    } else if (argument.starts_with("--omen-placement=")) {
      const auto chosen = choose_placement(argument.substr(argument.find('=') + 1), placement);
      if (!chosen) return fail(me, chosen.error());
    } else if (argument == "--omen-verify-placement") {
      placement.verifies = true;
    } else if (argument == "--omen-values") {
      records_values = true;
    } else {
      given.push_back(argument);
    }
  }

  const auto compiler = is_launcher ? take_compiler(given, self) : choose_compiler(language, self);
  if (!compiler) return fail(me, compiler.error());
  auto request = read_request(with_response_files(given));
  if (!request) return fail(me, request.error());
  request->places_checks = placement.places_checks && !records_values;
  request->only_redundant = placement.only_redundant;
  request->verifies = placement.verifies && request->places_checks;
  request->records_values = records_values;
  if (request->instruments && request->links) {
    if (auto checked = check_version(*compiler); !checked) return fail(me, checked.error());
  }
  const std::string plugin = plugin_for(*compiler, *request, self);
  const bool places = compiler->family == Family::Clang && !plugin.empty() && request->places_checks;
  if (records_values && request->instruments && request->compiles && plugin.empty()) {
    return fail(me, {kUnavailable,
                     "--omen-values needs clang 19, and omen_values.so beside omen-cc; name the compiler in "
                     "OMEN_CC or OMEN_CXX"});
  }
  const auto command = make_command(*compiler, *request, plugin, self);
  if (!command) return fail(me, command.error());
  if (request->verifies && request->instruments && request->compiles && !places) {
    return fail(me, {kUnavailable, "--omen-verify-placement needs clang " + std::to_string(kPluginClang) +
                                       " and omen_placement.so: no check is placed here"});
  }
  if (compiler->family == Family::Clang) setenv(kCompilerFolder, folder_of(*compiler).c_str(), 1);
  if (!plugin.empty()) tell_ccache(plugin);
  const bool has_assembler = compiler->family == Family::Gcc || plugin.empty();
  if (has_assembler && request->instruments && request->compiles) tell_ccache(self);  // the assembler
  return only_show ? show(*command, placement_of(*request, places)) : become(me, *compiler, *command);
}

}  // namespace
}  // namespace omen::driver

int main(int argc, char** argv) {
  return omen::driver::run(argc, argv);
}
