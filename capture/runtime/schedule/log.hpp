/// \file
/// The messages of a replayed run to `omen replay`: lines of a text file (docs/formats.md, "The log of a replay"). The
/// file is opened for each message, since programs close descriptors that are not theirs.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt::schedule {

/// One or more lines, written by the destructor.
class LogMessage {
 public:
  explicit LogMessage(const char* path) : path_(path) {}
  ~LogMessage();
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  LogMessage& operator<<(const char* text);
  LogMessage& operator<<(u64 number);
  LogMessage& hexadecimal(u64 number);

 private:
  void put(char letter) {
    if (used_ < sizeof text_) text_[used_++] = letter;
  }
  const char* path_;
  std::size_t used_ = 0;
  char text_[8192];
};

/// Creates the log. False: another process of this run already has.
bool claim_log(const char* path);

}  // namespace omen::rt::schedule
