/// \file
/// The start of the runtime: before any constructor of the program (entry.cpp), or at the first call of an instrumented
/// module, whichever comes first.
#include "capture/runtime/start.hpp"

#include <pthread.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/dispatch/process_description.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/foreign/incomplete_modules.hpp"
#include "capture/runtime/interceptors/process_hooks.hpp"
#include "capture/runtime/interceptors/thread_end.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/confirm/meeting.hpp"
#include "capture/runtime/schedule/explore/explore.hpp"
#include "capture/runtime/schedule/scheduler.hpp"
#include "capture/runtime/threads/thread_table.hpp"
#include "capture/runtime/watcher.hpp"

namespace omen::rt {
namespace {

/// The default limit for the recording of a process. Its analysis takes more memory than that.
constexpr u64 kMostTraceMiB = 4096;

std::atomic<u32> begun{0};
/// So that linking this file from the archive links entry.cpp as well.
[[gnu::used]] const Entry* const linked_entry = &loader_entry;
char folder[3000];

}  // namespace

void leave_to_another_runtime() {
  begun = 1;
}

void start_runtime() {
  if (begun.exchange(1) != 0) return;
  const char* const record = environment("OMEN_RECORD");
  const char* const watch = environment("OMEN_ONLINE");
  const bool records = record != nullptr && record[0] != 0 && text_length(record) < sizeof folder;
  const bool watches = watch != nullptr && watch[0] != 0;
  const char* const plan = environment("OMEN_REPLAY");
  const bool replays = plan != nullptr && plan[0] != 0 && schedule::start(plan);
  const char* const strategy = environment("OMEN_EXPLORE");
  if (!replays && watches && strategy != nullptr && strategy[0] != 0) {
    explore::start(strategy, [] { (void)detect::detector.finish(); });
  }
  const char* const places = environment("OMEN_CONFIRM");
  const bool confirms = !replays && !records && !watches && places != nullptr && confirm::start(places);
  const bool is_asked = records || watches || replays || confirms;
  if (!is_asked && detect::number_option("help", 0) != 0) print_options_help();
  const bool is_alone = !is_asked && wants_watcher();
  if (!is_asked && !is_alone) return;
  if (is_alone && detect::option_is("mode", "record")) {
    if (record != nullptr && record[0] != 0)
      return;  // omen has started this process with a folder whose path is too long
    become_recorder(process_arguments);
  }
  if (!recorder.prepare() || !thread_table.create() || !prepare_thread_end()) return;
  if (records) {
    copy_bytes(folder, record, text_length(record) + 1);
    if (!recorder.start(folder, detect::number_option("max_trace_mb", kMostTraceMiB) << 20) && !watches) return;
  }
  if (watches && !detect::detector.start(watch) && !records) return;
  if (is_alone) {
    const Watcher watcher = start_watcher();
    if (!detect::detector.start(watcher.setting, watcher.process)) return;
  }
  ThreadState* const thread = recorder.create_thread();
  if (thread == nullptr) return;
  if (schedule::on()) schedule::adopt_first_thread(thread);
  ++thread->busy;
  set_current_thread(thread);
  install_process_hooks();
  // The first thread may end before the others, and be joined.
  thread_table.add(pthread_self(), thread->id);
  arrange_thread_end(thread);
  --thread->busy;
  record_process(thread);
  start_watching_hidden_state();
}

}  // namespace omen::rt

extern "C" __attribute__((visibility("default"))) void __tsan_init() {
  omen::rt::start_runtime();
  omen::rt::look_at_modules(reinterpret_cast<omen::rt::uptr>(__builtin_return_address(0)));
}

extern "C" __attribute__((visibility("default"))) void __omen_incomplete() {
  omen::rt::start_runtime();
  omen::rt::add_incomplete_module(reinterpret_cast<omen::rt::uptr>(__builtin_return_address(0)));
}
