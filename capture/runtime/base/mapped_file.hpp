/// \file
/// A file, mapped for reading.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

class MappedFile {
 public:
  /// Empty if the file cannot be read.
  explicit MappedFile(const char* path);
  ~MappedFile() {
    if (bytes_ != 0) unmap_memory(memory_, bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  u64 bytes() const { return bytes_; }

  /// `count` objects at `offset`; null if the file does not have them.
  template <class T>
  const T* at(u64 offset, u64 count = 1) const {
    if (offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(static_cast<const char*>(memory_) + offset);
  }

 private:
  void* memory_ = nullptr;
  u64 bytes_ = 0;
};

}  // namespace omen::rt
