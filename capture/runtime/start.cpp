/// \file
/// Starting to record: before any constructor of the program, from `.preinit_array`.
#include "capture/runtime/start.hpp"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/interceptors/c_library.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/process_hooks.hpp"
#include "capture/runtime/recorder.hpp"
#include "capture/runtime/thread_end.hpp"
#include "capture/runtime/thread_table.hpp"

extern "C" const char* __tsan_default_options() __attribute__((weak));

namespace omen::rt {
namespace {

/// Of the recording of a process. What is recorded has to be analysed too, which takes more memory than this.
constexpr u64 kMostTraceMiB = 4096;

}  // namespace
char** arguments = nullptr;  // set once, before there are threads
namespace {
std::atomic<u32> begun{0};
char folder[3000];

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

/// The loader names a library as the program did. A name that begins in the current folder is of use now only.
const char* whole_path(const char* name, char* room, std::size_t size) {
  if (name[0] == '/' || !has_slash(name)) return name;
  const long length = system_call(__NR_getcwd, reinterpret_cast<long>(room), static_cast<long>(size));
  if (length <= 0 || room[0] != '/') return name;  // the length has the zero at the end
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
    // Only the program itself has no name, and it comes first.
    name = seen.count == 1 ? path : "";
  }
  if (name[0] == 0) return 0;
  if (name != path) name = whole_path(name, path, sizeof path);
  char build_id[160];
  read_build_id(info, build_id);
  if (online::online.on()) {
    online::OnlineLog& log = online::online.log();
    log.begin();
    log << "module ";
    log.hexadecimal(begin) << " ";
    log.hexadecimal(end) << " ";
    log.hexadecimal(info->dlpi_addr) << " " << (build_id[0] == 0 ? "-" : build_id) << " ";
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
  while (arguments != nullptr && arguments[count] != nullptr) ++count;
  recorder.note(thread, raw::RawOp::Command, count, 0, 0);
  for (u32 i = 0; i < count; ++i) recorder.text(thread, arguments[i]);
  for (u32 i = 0; i < count && online::online.on(); ++i) {
    online::online.log().begin();
    online::online.log() << "argument ";
    online::online.log().escaped(arguments[i]) << "\n";
    online::online.log().end();
  }
  // As with ThreadSanitizer, a program may bring options of its own.
  if (__tsan_default_options != nullptr) {
    if (const char* const options = __tsan_default_options()) {
      recorder.note_text(thread, raw::RawOp::Options, 0, options);
      if (online::online.on()) {
        online::online.log().begin();
        online::online.log() << "options ";
        online::online.log().escaped(options) << "\n";
        online::online.log().end();
      }
    }
  }
  record_suppressions(thread);
  seen_lock.reset();
  seen.count = 0;
  record_modules(thread);
  repeat_hidden_state_notes(thread);
}

void start_runtime() {
  if (begun.exchange(1) != 0) return;
  const char* const record = environment("OMEN_RECORD");
  const char* const watch = environment("OMEN_ONLINE");
  const bool records = record != nullptr && record[0] != 0 && text_length(record) < sizeof folder;
  const bool watches = watch != nullptr && watch[0] != 0;
  if (!records && !watches) return;
  if (!recorder.prepare() || !thread_table.create() || !prepare_thread_end()) return;
  if (records) {
    copy_bytes(folder, record, text_length(record) + 1);
    if (!recorder.start(folder, online::number_option("max_trace_mb", kMostTraceMiB) << 20) && !watches) return;
  }
  if (watches && !online::online.start(watch) && !records) return;
  ThreadState* const thread = recorder.create_thread();
  if (thread == nullptr) return;
  ++thread->busy;
  set_current_thread(thread);
  install_process_hooks();
  // The first thread may end before the others do, and be joined.
  thread_table.add(pthread_self(), thread->id);
  arrange_thread_end(thread);
  --thread->busy;
  record_process(thread);
  start_watching_hidden_state();
}

}  // namespace omen::rt

namespace {

void preinit(int, char** argv, char** envp) {
  omen::rt::arguments = argv;
  omen::rt::set_environment(envp);
  omen::rt::find_heap_functions();
  omen::rt::find_c_library();
  omen::rt::start_runtime();
}

// The loader calls this before the constructors of every module. Executables only, which is where the runtime lives.
__attribute__((section(".preinit_array"), used)) void (*const run_preinit)(int, char**, char**) = preinit;

}  // namespace
