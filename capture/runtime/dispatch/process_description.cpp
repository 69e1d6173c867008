/// \file
/// The first records of a recording, and of a detector's log, which describe the process.
#include "capture/runtime/dispatch/process_description.hpp"

#include <elf.h>
#include <link.h>
#include <sys/syscall.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/recorder/recorder.hpp"

extern "C" const char* __tsan_default_options() __attribute__((weak));

namespace omen::rt {

char** process_arguments = nullptr;

namespace {

struct SeenModules {
  static constexpr std::size_t kMost = 4096;
  uptr begin[kMost];
  std::size_t count;
};
SeenModules seen;
SpinLock seen_lock;

void hexadecimal(char* out, const u8* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    *out++ = "0123456789abcdef"[bytes[i] >> 4];
    *out++ = "0123456789abcdef"[bytes[i] & 15];
  }
  *out = 0;
}

void read_build_id(const dl_phdr_info* info, char* out) {
  out[0] = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    uptr at = info->dlpi_addr + header.p_vaddr;
    const uptr end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const uptr name = at + sizeof *note;
      const uptr content = name + ((note->n_namesz + 3U) & ~3U);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          text_equal(reinterpret_cast<const char*>(name), "GNU") && note->n_descsz <= 64) {
        hexadecimal(out, reinterpret_cast<const u8*>(content), note->n_descsz);
        return;
      }
      at = content + ((note->n_descsz + 3U) & ~3U);
    }
  }
}

bool has_slash(const char* text) {
  for (; *text != 0; ++text) {
    if (*text == '/') return true;
  }
  return false;
}

/// The loader names a library as the program did. A relative name is only valid in the current folder, now.
const char* whole_path(const char* name, char* room, std::size_t size) {
  if (name[0] == '/' || !has_slash(name)) return name;
  const long length = system_call(__NR_getcwd, reinterpret_cast<long>(room), static_cast<long>(size));
  if (length <= 0 || room[0] != '/') return name;  // the length includes the final zero
  const std::size_t folder_length = static_cast<std::size_t>(length) - 1;
  if (folder_length + 1 + text_length(name) + 1 > size) return name;
  room[folder_length] = '/';
  copy_bytes(room + folder_length + 1, name, text_length(name) + 1);
  return room;
}

int record_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto* const thread = static_cast<ThreadState*>(argument);
  uptr begin = ~uptr{0};
  uptr end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const uptr from = info->dlpi_addr + header.p_vaddr;
    if (from < begin) begin = from;
    if (from + header.p_memsz > end) end = from + header.p_memsz;
  }
  if (end == 0) return 0;
  for (std::size_t i = 0; i < seen.count; ++i) {
    if (seen.begin[i] == begin) return 0;
  }
  if (seen.count < SeenModules::kMost) seen.begin[seen.count++] = begin;
  static char path[4096];
  const char* name = info->dlpi_name;
  if (name == nullptr || name[0] == 0) {
    const long length = system_call(89 /* readlink */, reinterpret_cast<long>("/proc/self/exe"),
                                    reinterpret_cast<long>(path), sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    // Only the program itself has an empty name, and it comes first.
    name = seen.count == 1 ? path : "";
  }
  if (name[0] == 0) return 0;
  if (name != path) name = whole_path(name, path, sizeof path);
  char build_id[160];
  read_build_id(info, build_id);
  if (detect::detector.on()) {
    detect::MessageLog& log = detect::detector.log();
    log.begin();
    log << online_log::word::kModule << " ";
    log.hexadecimal(begin) << " ";
    log.hexadecimal(end) << " ";
    log.hexadecimal(info->dlpi_addr) << " " << (build_id[0] == 0 ? online_log::kNoBuildId : build_id) << " ";
    log.escaped(name) << "\n";
    log.end();
  }
  recorder.note(thread, raw::RawOp::Module, begin, 0, 0);
  recorder.more(thread, end);
  recorder.more(thread, info->dlpi_addr);
  recorder.text(thread, name);
  recorder.text(thread, build_id);
  return 0;
}

}  // namespace

void record_modules(ThreadState* thread) {
  const Busy busy(thread);
  const SpinGuard guard(seen_lock);
  dl_iterate_phdr(record_module, thread);
}

void record_process(ThreadState* thread) {
  thread->system_id = system_thread_id();
  recorder.synchronise(thread, raw::RawOp::Begin, thread->id, 0, 0);
  recorder.note(thread, raw::RawOp::ThreadSystemId, thread->id, 0, 0);
  recorder.more(thread, system_thread_id());
  u32 count = 0;
  while (process_arguments != nullptr && process_arguments[count] != nullptr) ++count;
  recorder.note(thread, raw::RawOp::Command, count, 0, 0);
  for (u32 i = 0; i < count; ++i) recorder.text(thread, process_arguments[i]);
  for (u32 i = 0; i < count && detect::detector.on(); ++i) {
    detect::detector.log().say(online_log::word::kArgument, process_arguments[i]);
  }
  // As with ThreadSanitizer, a program may define its own options.
  if (__tsan_default_options != nullptr) {
    if (const char* const options = __tsan_default_options()) {
      recorder.note_text(thread, raw::RawOp::Options, 0, options);
      if (detect::detector.on()) detect::detector.log().say(online_log::word::kOptions, options);
    }
  }
  record_suppressions(thread);
  seen_lock.reset();
  seen.count = 0;
  record_modules(thread);
  repeat_hidden_state_notes(thread);
}

}  // namespace omen::rt
