#include "cli/report_log.hpp"

#include <cerrno>
#include <cstring>

namespace omen::cli {

std::expected<void, InputError> ReportLog::print(const std::string& text, const report::RunOptions& options,
                                                 std::uint64_t process) {
  const std::string path = options.log_file(process);
  std::FILE* out = options.log_path == "stdout" ? stdout : stderr;
  if (!path.empty()) {
    auto& file = files_[path];
    if (!file) file.reset(std::fopen(path.c_str(), "we"));
    if (!file) return std::unexpected(InputError{path, "", std::strerror(errno)});
    out = file.get();
  }
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) {
    if (!path.empty()) return std::unexpected(InputError{path, "", std::strerror(errno)});
  }
  return {};
}

}  // namespace omen::cli
