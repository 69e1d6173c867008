/// \file
/// The -fsanitize= and -fno-sanitize= options of a command line, in their order: the last word about a sanitizer holds.
#pragma once

#include <set>
#include <string>

namespace omen::driver {

class Sanitizers {
 public:
  /// Takes one option in. The option to give to the compiler instead: without `thread`; empty if nothing is left of it.
  std::string take(const std::string& option);

  static bool is_option(const std::string& argument);

  bool thread() const { return thread_; }
  bool others() const { return !asked_.empty(); }
  /// One that cannot be had together with ThreadSanitizer's instrumentation; empty if there is none.
  std::string incompatible() const;

 private:
  bool thread_ = true;
  std::set<std::string> asked_;  // besides thread
};

}  // namespace omen::driver
