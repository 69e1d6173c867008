#include "capture/driver/command.hpp"

#include "capture/driver/runtime_files.hpp"

namespace omen::driver {
namespace {

using Words = std::vector<std::string>;

void add(Words& to, std::initializer_list<std::string> words) {
  to.insert(to.end(), words);
}

std::expected<void, Failure> add_gcc(Words& words, const Request& request, const std::string& self) {
  if (!request.links) {
    add(words, {"-fsanitize=thread", "-Wno-tsan"});  // -Wtsan: fences; this runtime knows them
    // What it copies itself in the place of these calls is not instrumented. (Those of which it can compute the result
    // are left out here: programs use them where a constant is needed.)
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

/// The first clang that asks whether a variable is given away, and not whether the pointer of the access is.
constexpr int kCompleteClang = 21;

std::expected<void, Failure> add_clang(Words& words, const Compiler& compiler, const Request& request,
                                       const std::string& plugin, const std::string& self) {
  if (!request.links) {
    add(words, {"-fsanitize=thread"});
  } else if (!request.other_sanitizers) {
    add(words, {"-fsanitize=thread", "-fno-sanitize-link-runtime"});
  } else if (request.compiles) {
    add(words, {"-Xclang", "-fsanitize=thread"});  // clang's driver links the other sanitizer's runtime, and only that
  }
  if (!request.compiles) return {};
  // Of a read before a write of the same memory clang leaves out the read, since the write is the stronger access.
  // Which schedules are possible depends on what was read, so it must be in the trace, and where it happened: what lies
  // between the two may have been found by it. (One call for both in the place of the write would not do.)
  add(words, {"-mllvm", "-tsan-instrument-read-before-write=1"});
  // Of loops over some members of structures it makes vectors that have the others too: what the program does not
  // access would be checked.
  add(words, {"-mllvm", "-enable-interleaved-mem-accesses=false"});
  if (!plugin.empty()) {
    add(words, {"-fpass-plugin=" + plugin});
    return {};
  }
  // It does not instrument vectors of more than 16 bytes, which the plugin does. Without it there must be none: neither
  // of code side by side (not -fno-slp-vectorize, which an optimisation level further on takes back), nor of loops.
  add(words, {"-mllvm", "-vectorize-slp=false", "-mprefer-vector-width=128"});
  if (clang_version(compiler) >= kCompleteClang) return {};
  const auto header = find_support(self, "omen-incomplete.h");
  if (!header) return std::unexpected(header.error());
  // Code that is preprocessed has it already, if omen-cc did that.
  add(words, {"--start-no-unused-arguments", "-include", *header, "--end-no-unused-arguments"});
  return {};
}

/// First on the line, and whole: the interceptors win over what archives further on define.
std::expected<void, Failure> add_runtime(Words& words, const std::string& self) {
  const auto files = find_runtime(self);
  if (!files) return std::unexpected(files.error());
  for (const std::string& word : {std::string("--whole-archive"), files->archive, std::string("--no-whole-archive"),
                                  "--dynamic-list=" + files->symbols}) {
    add(words, {"-Xlinker", word});
  }
  return {};
}

}  // namespace

std::string plugin_for(const Compiler& compiler, const Request& request, const std::string& self) {
  if (!request.instruments || !request.compiles || !request.takes_plugin || compiler.family != Family::Clang) return {};
  const std::string plugin = find_plugin(self, request.places_checks);
  return !plugin.empty() && clang_version(compiler) == kPluginClang ? plugin : std::string();
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
    } else if (auto added = add_gcc(words, request, self); !added) {
      return std::unexpected(added.error());
    }
    if (runtime) {
      if (auto added = add_runtime(words, self); !added) return std::unexpected(added.error());
    }
  }
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  // What is called by its name must not be called by an address that was loaded before: such calls cannot be seen.
  if (request.instruments && request.compiles) add(words, {"-fplt"});
  if (runtime && request.default_libraries) add(words, {"-lpthread", "-ldl"});
  return words;
}

}  // namespace omen::driver
