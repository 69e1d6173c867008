#include "capture/runtime/foreign/c_library.hpp"

#include <link.h>

namespace omen::rt {

LibraryCode c_library;

namespace {

/// `libc.so.6`, `ld-linux-x86-64.so.2`; and `libpthread.so.0` and similar, which older programs still name. Also the
/// OpenMP runtimes and their tool: they guard their thread and task data in the same way.
bool is_part_of_c_library(const char* path) {
  const char* name = path;
  for (const char* c = path; *c != 0; ++c) {
    if (*c == '/') name = c + 1;
  }
  return text_starts(name, "libc.so.") || text_starts(name, "libc-2.") || text_starts(name, "ld-linux") ||
         text_starts(name, "libpthread.so.") || text_starts(name, "libgomp.so.") || text_starts(name, "libomp.so") ||
         text_starts(name, "libomp-") || text_starts(name, "libiomp5.so") || text_starts(name, "libarcher.so");
}

int look_at_module(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_name == nullptr || !is_part_of_c_library(info->dlpi_name)) return 0;
  uptr begin = ~uptr{0};
  uptr end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const uptr from = info->dlpi_addr + part.p_vaddr;
    if (from < begin) begin = from;
    if (from + part.p_memsz > end) end = from + part.p_memsz;
  }
  if (end != 0 && c_library.count < LibraryCode::kMost) {
    c_library.begin[c_library.count] = begin;
    c_library.end[c_library.count] = end;
    ++c_library.count;
  }
  return 0;
}

}  // namespace

void find_c_library() {
  c_library.count = 0;
  dl_iterate_phdr(look_at_module, nullptr);
}

}  // namespace omen::rt
