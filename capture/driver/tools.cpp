#include "capture/driver/tools.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "capture/driver/failure.hpp"
#include "capture/driver/response_files.hpp"

namespace omen::driver {

Tool tool_called(std::string_view name) {
  if (name == "as") return Tool::Assembler;
  return name == "ld" || name.starts_with("ld.") ? Tool::Linker : Tool::None;
}

std::string find_real_tool(const std::string& name, const std::string& self) {
  namespace fs = std::filesystem;
  // GCC passes its search path to its tools; clang searches its own folder, and then PATH.
  for (const char* const list : {"COMPILER_PATH", kCompilerFolder, "PATH"}) {
    const char* const value = std::getenv(list);
    std::istringstream folders(value == nullptr ? "" : value);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string file = (folder.empty() ? "." : folder) + "/" + name;
      std::error_code error;
      if (access(file.c_str(), X_OK) != 0 || fs::is_directory(file, error)) continue;
      if (!fs::equivalent(file, self, error)) return file;
    }
  }
  return {};
}

int become(const std::string& program, std::vector<std::string> arguments) {
  if (too_long(arguments)) {
    if (const std::string file = as_response_file(arguments); !file.empty()) arguments = {file};
  }
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  std::fprintf(stderr, "omen-cc: error: %s cannot be run: %s\n", program.c_str(), std::strerror(errno));
  return kUnavailable;
}

}  // namespace omen::driver
