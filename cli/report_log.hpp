/// \file
/// The destination of a run's text, as `log_path` says: standard error, standard output, or a file per process. `print`
/// returns after the text is written.
#pragma once

#include <cstdint>
#include <cstdio>
#include <expected>
#include <map>
#include <memory>
#include <string>

#include "report/options.hpp"
#include "trace/error.hpp"

namespace omen::cli {

class ReportLog {
 public:
  std::expected<void, InputError> print(const std::string& text, const report::RunOptions& options,
                                        std::uint64_t process);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::map<std::string, std::unique_ptr<std::FILE, Close>> files_;  ///< by path; created by the first text
};

}  // namespace omen::cli
