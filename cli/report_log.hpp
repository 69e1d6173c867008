/// \file
/// Where a run's text goes, as `log_path` says: standard error, standard output, or a file for each process. Everything
/// is there as soon as `print` returns.
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
  std::map<std::string, std::unique_ptr<std::FILE, Close>> files_;  ///< by path; made anew by the first text
};

}  // namespace omen::cli
