/// \file
/// The -fsanitize= and -fno-sanitize= options of a command line: the last option about a sanitizer wins.
#pragma once

#include <set>
#include <string>

namespace omen::driver {

class Sanitizers {
 public:
  /// Processes one option. Returns it without `thread`; empty if nothing remains.
  std::string take(const std::string& option);

  static bool is_option(const std::string& argument);

  bool thread() const { return thread_; }
  bool others() const { return !asked_.empty(); }
  /// A requested sanitizer that is incompatible with ThreadSanitizer's instrumentation; empty if there is none.
  std::string incompatible() const;

 private:
  bool thread_ = true;
  std::set<std::string> asked_;  // other than thread
};

}  // namespace omen::driver
