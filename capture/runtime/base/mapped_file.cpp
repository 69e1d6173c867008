#include "capture/runtime/base/mapped_file.hpp"

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/mman.h>

namespace omen::rt {

MappedFile::MappedFile(const char* path) {
  const long file = system_call(__NR_open, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const long size = system_call(__NR_lseek, file, 0, 2 /* SEEK_END */);
  const long at = size <= 0 ? -1 : system_call(__NR_mmap, 0, size, PROT_READ, MAP_SHARED, file, 0);
  system_call(__NR_close, file);
  if (at < 0) return;
  memory_ = reinterpret_cast<void*>(at);
  bytes_ = static_cast<u64>(size);
}

}  // namespace omen::rt
