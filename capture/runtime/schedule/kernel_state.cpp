#include "capture/runtime/schedule/kernel_state.hpp"

#include <asm/unistd.h>
#include <sys/stat.h>

namespace omen::rt {
namespace {

/// Reads /proc/self/task/ID/NAME; returns the number of bytes.
long read_task_file(u32 system_id, const char* name, char* text, std::size_t room) {
  char path[64] = "/proc/self/task/";
  std::size_t used = text_length(path);
  char digits[16];
  std::size_t n = sizeof digits;
  do {
    digits[--n] = static_cast<char>('0' + system_id % 10);
    system_id /= 10;
  } while (system_id != 0);
  while (n < sizeof digits) path[used++] = digits[n++];
  copy_bytes(path + used, name, text_length(name) + 1);
  const long file = system_call(__NR_open, reinterpret_cast<long>(path), 02000000 /* O_CLOEXEC */);
  if (file < 0) return 0;
  const long length = system_call(__NR_read, file, reinterpret_cast<long>(text), static_cast<long>(room));
  system_call(__NR_close, file);
  return length;
}

}  // namespace

char state_of_thread(u32 system_id) {
  char text[512];
  for (long i = read_task_file(system_id, "/stat", text, sizeof text); i-- > 2;) {
    if (text[i - 2] == ')') return text[i];
  }
  return 'X';
}

KernelState kernel_state_of(u32 system_id) {
  KernelState result;
  result.state = state_of_thread(system_id);
  char text[128];
  const long length = read_task_file(system_id, "/schedstat", text, sizeof text);
  u64 numbers[3] = {};
  u32 at = 0;
  for (long i = 0; i < length && at < 3; ++i) {
    if (text[i] < '0' || text[i] > '9') {
      ++at;
    } else {
      numbers[at] = numbers[at] * 10 + static_cast<u64>(text[i] - '0');
    }
  }
  result.cpu = numbers[0];
  result.slices = numbers[2];
  return result;
}

u64 other_tasks_digest() {
  const long folder = system_call(__NR_open, reinterpret_cast<long>("/proc/self/task"), 02200000);  // a folder
  if (folder < 0) return 0;
  const u32 own = system_thread_id();
  u64 digest = 0xcbf29ce484222325ULL;
  alignas(8) char entries[4096];
  for (bool runs = false; !runs;) {
    const long bytes = system_call(__NR_getdents64, folder, reinterpret_cast<long>(entries), sizeof entries);
    if (bytes <= 0) break;
    for (long at = 0; at < bytes && !runs;) {
      const char* const entry = entries + at;
      u16 length = 0;
      copy_bytes(&length, entry + 16, sizeof length);  // struct linux_dirent64
      at += length;
      u32 id = 0;
      for (const char* name = entry + 19; *name >= '0' && *name <= '9'; ++name) {
        id = id * 10 + static_cast<u32>(*name - '0');
      }
      if (id == 0 || id == own) continue;
      const KernelState state = kernel_state_of(id);
      runs = state.state == 'R' || state.state == 'D';
      digest = (digest ^ state.slices ^ (u64{id} << 32)) * 0x100000001B3ULL;
    }
    if (runs) digest = 0;
  }
  system_call(__NR_close, folder);
  return digest;
}

u32 task_count() {
  struct stat status = {};
  const long failed =
      system_call(__NR_stat, reinterpret_cast<long>("/proc/self/task"), reinterpret_cast<long>(&status));
  return failed != 0 || status.st_nlink < 3 ? 0 : static_cast<u32>(status.st_nlink - 2);
}

}  // namespace omen::rt
