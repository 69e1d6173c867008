/// \file
/// The ThreadSanitizer interface for debuggers and test frameworks: parts of a report, and descriptions of addresses.
///
/// Races of a recorded run are known only after it, so there is no report during the run: the functions that take one
/// return 0. The online detector calls the program's `__tsan_on_report`, and provides the kind of the report and its
/// two accesses with their stacks, but no locations, mutexes and threads. It does not call `__tsan_on_finalize`.
/// Addresses can always be described.
#include <pthread.h>

#include <initializer_list>
#include <new>

#include "capture/runtime/base/own_modules.hpp"
#include "capture/runtime/recorder/own_recording.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))

// A program may define it.
extern "C" __attribute__((weak)) void __tsan_on_report(void* report);

namespace omen::rt {

bool has_race_callback() {
  return __tsan_on_report != nullptr;
}

FoundRace* add_found_race(ThreadState* thread) {
  void* const memory = map_memory(sizeof(FoundRace));
  if (memory == nullptr) return nullptr;
  auto* const race = new (memory) FoundRace;
  FoundRace** last = &thread->found_races;
  while (*last != nullptr) last = &(*last)->next;
  return *last = race;
}

/// The program's code that runs here is not watched.
void tell_of_found_races(ThreadState* thread) {
  const Busy busy(thread);
  while (FoundRace* const race = thread->found_races) {
    thread->found_races = race->next;
    thread->told_race = race;
    __tsan_on_report(race);
    thread->told_race = nullptr;
    unmap_memory(race, sizeof(FoundRace));
  }
}

}  // namespace omen::rt

namespace {

/// The report that the thread's callback was called for; null: `report` is another one.
const FoundRace* told(const void* report) {
  const FoundRace* const race = current_thread == nullptr ? nullptr : current_thread->told_race;
  return race == report ? race : nullptr;
}

template <class T>
void give(T* place, T value) {
  if (place != nullptr) *place = value;
}

}  // namespace

OMEN_ABI void* __tsan_get_current_report() {
  return current_thread == nullptr ? nullptr : current_thread->told_race;
}
OMEN_ABI int __tsan_get_report_data(void* report, const char** kind, int* pairs, int* stacks, int* accesses,
                                    int* locations, int* mutexes, int* threads, int* unique_threads, void** sleep,
                                    uptr most) {
  const FoundRace* const race = told(report);
  if (race == nullptr) return 0;
  give(kind, race->kind);
  give(pairs, 0);  // duplicates of this report
  give(accesses, 2);
  for (int* const none : {stacks, locations, mutexes, threads, unique_threads}) give(none, 0);
  for (uptr i = 0; sleep != nullptr && i < most; ++i) sleep[i] = nullptr;
  return 1;
}
OMEN_ABI int __tsan_get_report_tag(void*, uptr*) {
  return 0;
}
OMEN_ABI int __tsan_get_report_stack(void*, uptr, void**, uptr) {
  return 0;
}
/// Entries after the end of the stack become null.
OMEN_ABI int __tsan_get_report_mop(void* report, uptr number, int* thread, void** address, int* size, int* write,
                                   int* atomic, void** stack, uptr most) {
  const FoundRace* const race = told(report);
  if (race == nullptr || number >= 2) return 0;
  const FoundRace::Access& access = race->accesses[number];
  give(thread, static_cast<int>(access.thread));
  give(address, reinterpret_cast<void*>(access.address));
  give(size, static_cast<int>(access.bytes));
  give(write, access.write ? 1 : 0);
  give(atomic, access.atomic ? 1 : 0);
  for (uptr i = 0; stack != nullptr && i < most; ++i) {
    stack[i] = i < access.places ? reinterpret_cast<void*>(access.stack[i]) : nullptr;
  }
  return 1;
}
OMEN_ABI int __tsan_get_report_loc(void*, uptr, const char**, void**, uptr*, uptr*, int*, int*, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_loc_object_type(void*, uptr, const char**) {
  return 0;
}
OMEN_ABI int __tsan_get_report_mutex(void*, uptr, uptr*, void**, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_thread(void*, uptr, int*, u64*, int*, const char**, int*, void**, uptr) {
  return 0;
}
OMEN_ABI int __tsan_get_report_unique_tid(void*, uptr, int*) {
  return 0;
}

namespace {

struct Region {
  const char* kind = "";  ///< "" if nothing is known about the address
  uptr begin = 0;
  u64 bytes = 0;
};

bool in_own_stack(uptr address, Region& region) {
  if (current_thread == nullptr) return false;
  const Busy busy(current_thread);  // these calls are not the program's
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<uptr>(low);
  if (address < begin || address - begin >= bytes) return false;
  region = {"stack", begin, bytes};
  return true;
}

Region region_of(uptr address, char* name, uptr room) {
  Region region;
  const OwnRecording recording;
  if (const auto block = recording.block_at(address); block.bytes != 0) return {"heap", block.begin, block.bytes};
  if (const Module module = module_at(address); module.path != nullptr) {
    const Variable variable = variable_at(module, address, name, room);
    return {"global", variable.bytes == 0 ? address : variable.begin, variable.bytes};
  }
  if (in_own_stack(address, region)) return region;
  if (const auto stack = recording.stack_at(address); stack.bytes != 0) return {"stack", stack.begin, stack.bytes};
  return region;
}

}  // namespace

/// "heap", "global" or "stack"; "" if nothing is recorded or known.
OMEN_ABI const char* __tsan_locate_address(uptr address, char* name, uptr room, uptr* begin, uptr* bytes) {
  if (name != nullptr && room != 0) name[0] = 0;
  Region region;
  if (ThreadState* const thread = recording_thread()) {
    const Busy busy(thread);
    region = region_of(address, name, name == nullptr ? 0 : room);
  }
  if (begin != nullptr) *begin = region.begin;
  if (bytes != nullptr) *bytes = region.bytes;
  return region.kind;
}

/// Returns how many frames of the block's allocation stack were found; 0 if the address is not in a heap block.
OMEN_ABI int __tsan_get_alloc_stack(uptr address, uptr* trace, uptr most, int* thread_id, u64* system_id) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return 0;
  const Busy busy(thread);
  const OwnRecording recording;
  const auto block = recording.block_at(address);
  if (block.bytes == 0) return 0;
  if (thread_id != nullptr) *thread_id = static_cast<int>(block.thread);
  if (system_id != nullptr) *system_id = recording.system_id(block.thread);
  return static_cast<int>(recording.places(block.node, trace, most));
}
