#include "capture/driver/request.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "capture/driver/contains.hpp"
#include "capture/driver/linker_words.hpp"
#include "capture/driver/sanitizers.hpp"

namespace omen::driver {
namespace {

/// Options whose value is the next argument. (Joined forms such as -Ifoo contain their value.)
constexpr std::array<std::string_view, 59> kTakesValue = {"-o",
                                                          "-x",
                                                          "-I",
                                                          "-L",
                                                          "-D",
                                                          "-U",
                                                          "-l",
                                                          "-include",
                                                          "-imacros",
                                                          "-isystem",
                                                          "-iquote",
                                                          "-idirafter",
                                                          "-iprefix",
                                                          "-iwithprefix",
                                                          "-iwithprefixbefore",
                                                          "-isysroot",
                                                          "-imultilib",
                                                          "-iframework",
                                                          "-cxx-isystem",
                                                          "-F",
                                                          "-framework",
                                                          "-MF",
                                                          "-MT",
                                                          "-MQ",
                                                          "-MJ",
                                                          "-Xlinker",
                                                          "-Xassembler",
                                                          "-Xpreprocessor",
                                                          "-Xclang",
                                                          "-Xanalyzer",
                                                          "-Xopenmp-target",
                                                          "-mllvm",
                                                          "-T",
                                                          "-Tbss",
                                                          "-Tdata",
                                                          "-Ttext",
                                                          "-u",
                                                          "-e",
                                                          "-z",
                                                          "-h",
                                                          "-B",
                                                          "-G",
                                                          "-A",
                                                          "-V",
                                                          "-b",
                                                          "-aux-info",
                                                          "-dumpbase",
                                                          "-dumpbase-ext",
                                                          "-dumpdir",
                                                          "--param",
                                                          "-wrapper",
                                                          "-target",
                                                          "-arch",
                                                          "-gcc-toolchain",
                                                          "-working-directory",
                                                          "--sysroot",
                                                          "--config",
                                                          "-serialize-diagnostics",
                                                          "-specs"};

/// Options that make the compiler print something about itself, and do nothing else.
bool asks_about_compiler(std::string_view argument) {
  constexpr std::array<std::string_view, 7> exact = {"--version",     "-version", "--help", "-help",
                                                     "--target-help", "-cc1",     "-cc1as"};
  constexpr std::array<std::string_view, 4> begin = {"-print-", "--print-", "-dump", "--help="};
  return contains(exact, argument) ||
         (std::ranges::any_of(begin, [&](std::string_view p) { return argument.starts_with(p); }) &&
          !argument.starts_with("-dumpbase") && !argument.starts_with("-dumpdir"));
}

/// Options that make the compiler stop before linking.
bool stops_early(std::string_view argument) {
  constexpr std::array<std::string_view, 15> all = {
      "-c",         "-S",           "-E",           "-M",        "-MM",       "-fsyntax-only",     "--compile",
      "--assemble", "--preprocess", "--precompile", "-emit-ast", "--analyze", "-module-file-info", "-verify-pch",
      "-emit-pch"};
  return contains(all, argument);
}

bool has_suffix_of(std::string_view path, auto... suffixes) {
  return (path.ends_with(suffixes) || ...);
}

bool is_header(std::string_view path) {
  return has_suffix_of(path, ".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".hp", ".tcc");
}

/// An input only for the linker: an object file, an archive, a shared library, a linker script.
bool is_linkable(std::string_view path) {
  if (has_suffix_of(path, ".o", ".obj", ".a", ".so", ".lo", ".lib", ".ld", ".lds")) return true;
  const size_t name = path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1;
  return path.substr(name).contains(".so.") || !path.substr(name).contains('.');
}

/// True if the input contains code that can be instrumented; assembly does not.
bool is_source(std::string_view path, std::string_view language) {
  return language == "none" ? !is_linkable(path) && !path.ends_with(".s") : language != "assembler";
}

}  // namespace

std::expected<Request, Failure> read_request(const std::vector<std::string>& arguments) {
  Request request;
  if (std::ranges::any_of(arguments, asks_about_compiler)) {
    request.arguments = arguments;
    request.instruments = false;
    return request;
  }

  Sanitizers sanitizers;
  std::string language = "none";
  std::string wrong_target;
  bool inputs = false, only_headers = true, early = false, shared = false, relocatable = false, is_static = false;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& argument = arguments[at];
    if (Sanitizers::is_option(argument)) {
      if (const std::string kept = sanitizers.take(argument); !kept.empty()) request.arguments.push_back(kept);
      continue;
    }
    if (argument == "-static-libtsan" || argument == "-static-libsan" || argument == "-shared-libsan") continue;
    request.arguments.push_back(argument);
    if (argument.size() > 1 && argument[0] == '-') {
      if (argument == "-x" && at + 1 < arguments.size()) language = arguments[at + 1];
      if (argument.starts_with("-x") && argument.size() > 2 && !argument.starts_with("-xh"))
        language = argument.substr(2);
      if (stops_early(argument)) early = true;
      if (argument == "-shared" || argument == "--shared") shared = true;
      if (argument == "-r") relocatable = true;
      if (argument == "-static" || argument == "--static" || argument == "-static-pie") is_static = true;
      if (argument == "-nostdlib" || argument == "-nodefaultlibs" || argument == "-nolibc")
        request.default_libraries = false;
      if (argument == "-m32" || argument == "-mx32") wrong_target = argument;
      if (argument == "-m64") wrong_target.clear();
      const bool joined_later = argument.starts_with("-Xarch_");
      if ((joined_later || contains(kTakesValue, argument)) && at + 1 < arguments.size()) {
        request.arguments.push_back(arguments[++at]);
      }
      continue;
    }
    inputs = true;  // also "-", standard input
    const bool header = language == "none" ? is_header(argument) : language.ends_with("-header");
    only_headers = only_headers && header;
    if (is_source(argument, language)) request.compiles = true;
  }

  // Coverage is instrumented after the plugin's output, and would leave it out.
  request.takes_plugin = std::ranges::none_of(request.arguments, [](const std::string& argument) {
    return argument.starts_with("-fsanitize-coverage") ||
           (argument.starts_with("-fsanitize=") && argument.contains("fuzzer"));
  });

  const LinkerWords linker(request.arguments);
  shared = shared || linker.contains("-shared") || linker.contains("--shared") || linker.contains("-Bshareable");
  relocatable = relocatable || linker.contains("-r") || linker.contains("--relocatable");
  request.links = inputs && !early && !only_headers && !relocatable;
  request.instruments = sanitizers.thread() && (request.compiles || request.links);
  request.other_sanitizers = sanitizers.others();
  request.links_runtime = request.links && !shared;
  if (!request.instruments) return request;

  if (const std::string other = sanitizers.incompatible(); !other.empty()) {
    return std::unexpected(Failure{kRefused, "-fsanitize=" + other +
                                                 " cannot be had together with race detection; leave it out, "
                                                 "or add -fno-sanitize=thread for a build without race detection"});
  }
  if (!wrong_target.empty()) {
    return std::unexpected(
        Failure{kRefused, wrong_target + " is not supported: race detection is for 64-bit programs"});
  }
  if (is_static && request.links_runtime) {
    return std::unexpected(Failure{kRefused,
                                   "-static is not supported: race detection needs a dynamically linked program, as "
                                   "ThreadSanitizer does; -static-libgcc and -static-libstdc++ are fine"});
  }
  if (request.links && shared) request.arguments = linker.without_defs();
  return request;
}

}  // namespace omen::driver
