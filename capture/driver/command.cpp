#include "capture/driver/command.hpp"

#include <algorithm>

#include "capture/driver/contains.hpp"
#include "capture/driver/runtime_files.hpp"
#include "capture/driver/tools.hpp"

namespace omen::driver {
namespace {

using Words = std::vector<std::string>;

void add(Words& to, std::initializer_list<std::string> words) {
  to.insert(to.end(), words);
}

std::expected<void, Failure> add_gcc(Words& words, const Request& request, const std::string& plugin,
                                     const std::string& self) {
  if (!plugin.empty()) words.push_back("-fplugin=" + plugin);
  if (!request.links) {
    add(words, {"-fsanitize=thread", "-Wno-tsan"});  // -Wtsan warns of fences, which this runtime supports
    // Code that GCC expands inline for these calls is not instrumented. (Functions whose result GCC can compute at
    // compile time are not listed: programs use them in constant expressions.)
    for (const char* const name : {"memcpy", "memmove", "memset", "mempcpy", "strcpy", "strncpy", "stpcpy", "strcat"}) {
      words.push_back(std::string("-fno-builtin-") + name);
    }
    return {};
  }
  const auto specs = find_support(self, "omen-gcc.specs");
  if (!specs) return std::unexpected(specs.error());
  add(words, {"-specs=" + *specs});
  return {};
}

/// clang knows a plugin's options only if it loads the plugin before it parses them.
void add_plugin_options(Words& words, const Request& request, const std::string& plugin) {
  if (!request.places_checks || (!request.only_redundant && !request.verifies)) return;
  add(words, {"-Xclang", "-load", "-Xclang", plugin});
  if (request.only_redundant) add(words, {"-mllvm", "-omen-placement=redcard"});
  if (request.verifies) add(words, {"-mllvm", "-omen-verify-placement"});
}

/// The first clang that tests whether a variable is captured, instead of whether the pointer of the access is.
constexpr int kCompleteClang = 21;

std::expected<void, Failure> add_clang(Words& words, const Compiler& compiler, const Request& request,
                                       const std::string& plugin, const std::string& self) {
  if (!request.links) {
    add(words, {"-fsanitize=thread"});
  } else if (!request.other_sanitizers) {
    add(words, {"-fsanitize=thread", "-fno-sanitize-link-runtime"});
  } else if (request.compiles) {
    add(words, {"-Xclang", "-fsanitize=thread"});  // clang's driver links only the other sanitizer's runtime
  }
  if (!request.compiles) return {};
  // For a read before a write of the same memory clang omits the check of the read, because the write is the stronger
  // access. The value that was read decides which schedules are possible, so the read must be in the trace, at its own
  // place: accesses between the two may depend on it. (So one call for both at the write would not do.)
  add(words, {"-mllvm", "-tsan-instrument-read-before-write=1"});
  // clang vectorises loops over some members of structures by loading the others too: accesses that the program does
  // not make would be checked.
  add(words, {"-mllvm", "-enable-interleaved-mem-accesses=false"});
  if (!plugin.empty()) {
    add(words, {"-fpass-plugin=" + plugin});
    add_plugin_options(words, request, plugin);
    // Recorded values are scalars.
    if (request.records_values) add(words, {"-mllvm", "-vectorize-slp=false", "-mllvm", "-vectorize-loops=false"});
    return {};
  }
  // Without the plugin, clang does not instrument vectors of more than 16 bytes, so it must not create any: neither
  // from straight-line code (-fno-slp-vectorize would be overridden by a later optimisation level), nor from loops.
  add(words, {"-mllvm", "-vectorize-slp=false", "-mprefer-vector-width=128"});
  if (major_version(compiler) >= kCompleteClang) return {};
  const auto header = find_support(self, "omen-incomplete.h");
  if (!header) return std::unexpected(header.error());
  // Code that omen-cc has preprocessed contains it already.
  add(words, {"--start-no-unused-arguments", "-include", *header, "--end-no-unused-arguments"});
  return {};
}

/// The whole archive comes first on the line, so that the interceptors take precedence over definitions in later
/// archives.
std::expected<void, Failure> add_runtime(Words& words, const std::string& self) {
  const auto files = find_runtime(self);
  if (!files) return std::unexpected(files.error());
  for (const std::string& word : {std::string("--whole-archive"), files->archive, std::string("--no-whole-archive"),
                                  "--dynamic-list=" + files->symbols}) {
    add(words, {"-Xlinker", word});
  }
  return {};
}

/// The compiler looks for its assembler and linker in this folder first. clang's integrated assembler adds no marks;
/// the plugin does. Without the plugin clang calls an external assembler if there is one.
void add_tools(Words& words, const Compiler& compiler, const Request& request, const std::string& plugin,
               const std::string& self) {
  const std::string tools = find_tools(self);
  if (tools.empty()) return;
  const bool is_clang = compiler.family == Family::Clang;
  const auto keeps_inside = [](const std::string& argument) {
    return argument == "-fintegrated-as" || argument == "-integrated-as" || argument == "-emit-llvm";
  };
  const bool assembles = is_clang && request.compiles && plugin.empty() &&
                         std::ranges::none_of(request.arguments, keeps_inside) && !find_real_tool("as", self).empty();
  if (assembles) add(words, {"-fno-integrated-as"});
  if (!is_clang || assembles || request.links) add(words, {"-B" + tools});
}

/// Makes clang emit indirect calls through the thunks that GCC's assembly uses (marked_assembly.hpp); only calls, not
/// switches.
void add_thunks(Words& words, const Request& request) {
  const auto is_own = [](const std::string& argument) {
    return argument.contains("retpoline") || argument == "-mcmodel=large" || argument == "-mspeculative-load-hardening";
  };
  if (std::ranges::any_of(request.arguments, is_own)) return;
  for (const char* const feature : {"+retpoline-indirect-calls", "+retpoline-external-thunk"}) {
    add(words, {"-Xclang", "-target-feature", "-Xclang", feature});
  }
}

}  // namespace

std::string plugin_for(const Compiler& compiler, const Request& request, const std::string& self) {
  if (!request.instruments || !request.takes_plugin) return {};
  if (compiler.family == Family::Gcc) {
    // also for links: GCC instruments -flto code then
    const bool instruments = !request.records_values && (request.compiles || request.links);
    const std::string plugin = instruments ? find_gcc_plugin(self) : std::string();
    return !plugin.empty() && major_version(compiler) == kPluginGcc ? plugin : std::string();
  }
  if (!request.compiles) return {};
  const std::string plugin = find_plugin(self, request.places_checks, request.records_values);
  return !plugin.empty() && major_version(compiler) == kPluginClang ? plugin : std::string();
}

std::expected<Words, Failure> make_command(const Compiler& compiler, const Request& request, const std::string& plugin,
                                           const std::string& self) {
  Words words = compiler.words;
  const bool runtime = request.instruments && request.links_runtime;
  if (request.instruments) {
    if (compiler.family == Family::Clang) {
      if (auto added = add_clang(words, compiler, request, plugin, self); !added) {
        return std::unexpected(added.error());
      }
      if (request.compiles) add_thunks(words, request);
    } else if (auto added = add_gcc(words, request, plugin, self); !added) {
      return std::unexpected(added.error());
    }
    add_tools(words, compiler, request, plugin, self);
    if (runtime) {
      if (auto added = add_runtime(words, self); !added) return std::unexpected(added.error());
    }
  }
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  // Calls by name must go through the linkage table: a call of an address that was loaded before cannot be redirected.
  if (request.instruments && contains(request.arguments, "-fno-plt")) add(words, {"-fplt"});
  if (runtime && request.default_libraries) add(words, {"-lpthread", "-ldl"});
  return words;
}

}  // namespace omen::driver
