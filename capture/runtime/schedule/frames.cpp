#include "capture/runtime/schedule/frames.hpp"

#include <asm/unistd.h>
#include <dlfcn.h>
#include <link.h>

namespace omen::rt {

void program_path(char* path, std::size_t room) {
  const long length = system_call(__NR_readlink, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path),
                                  static_cast<long>(room - 1));
  path[length > 0 ? length : 0] = 0;
}

void write_frames(schedule::LogMessage& log, const uptr* places, u32 count) {
  char program[2048];
  program_path(program, sizeof program);
  for (u32 i = 0; i < count; ++i) {
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(places[i]), &found) != 0) continue;
    const char* const name = found.dlfo_link_map->l_name;
    log << "frame " << places[i] - found.dlfo_link_map->l_addr << " "
        << (name == nullptr || name[0] == 0 ? program : name) << "\n";
  }
}

}  // namespace omen::rt
