/// \file
/// The program's `errno`, over what a replacement calls for itself.
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
