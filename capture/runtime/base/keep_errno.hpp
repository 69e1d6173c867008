/// \file
/// Saves the program's `errno` while a replacement function makes calls of its own.
#pragma once

#include <errno.h>

namespace omen::rt {

class KeepErrno {
 public:
  KeepErrno() : value_(errno) {}
  ~KeepErrno() { errno = value_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int value_;
};

}  // namespace omen::rt
