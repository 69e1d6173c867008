/// \file
/// Looks at the modules of the process: at the start, and whenever one that is instrumented says that it is there. Its
/// first constructor does, with the loader's lock held, so nobody loads or unloads in between.
#include <dlfcn.h>

#include "capture/runtime/base/own_modules.hpp"
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/foreign/incomplete_modules.hpp"
#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/foreign/linkage.hpp"
#include "capture/runtime/foreign/static_code.hpp"
#include "capture/runtime/foreign/stubs.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt {
namespace {

using State = KnownModules::State;

constinit KnownModules known;
std::atomic<u32> looking{0};
std::atomic<u32> deep_loads{0};

/// What the summary of the run must say; a forked child says it again.
constexpr u32 kMostNotes = 16;
constexpr u32 kNoteBytes = 400;
char notes[kMostNotes][kNoteBytes];
u32 note_count = 0;

void tell(ThreadState* thread, const char* text) {
  recorder.note_text(thread, raw::RawOp::Note, 0, text);
}

void note_module(ThreadState* thread, const char* name, const char* why) {
  if (note_count == kMostNotes) return;
  char* const note = notes[note_count++];
  u32 used = 0;
  const auto add = [&](const char* text) {
    for (; *text != 0 && used + 1 < kNoteBytes; ++text) note[used++] = *text;
  };
  add("calls that leave ");
  add(name[0] == 0 ? "the program" : name);
  add(" cannot be seen (");
  add(why);
  add("): all of its critical sections of a lock count as ordered, and no race is predicted across them");
  tell(thread, note);
}

struct Listing {
  LoadedModule* modules;
  u32 room;
  u32 count;
};
int list_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& listing = *static_cast<Listing*>(argument);
  if (listing.count < listing.room && describe_module(*info, listing.modules[listing.count])) ++listing.count;
  return 0;
}

int mark_as_loaded(dl_phdr_info* info, std::size_t, void*) {
  LoadedModule module;
  if (describe_module(*info, module)) known.is_known(module);
  return 0;
}

const char* reason(Linkage::Outcome outcome) {
  switch (outcome) {
    case Linkage::Outcome::NoSymbols:
      return "it has no dynamic symbols";
    case Linkage::Outcome::NoStubs:
      return "it calls too many functions";
    case Linkage::Outcome::Protected:
      return "its linkage table or its code is write-protected";
    case Linkage::Outcome::Unreadable:
      return "its code cannot be read";
    case Linkage::Outcome::Done:
      break;
  }
  return "";
}

/// The C and the C++ library, by a function of each.
bool is_library(const LoadedModule& module) {
  for (const char* const name : {"__libc_start_main", "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
                                 "_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE"}) {
    if (const auto at = reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, name)); at != 0 && module.whole.has(at)) return true;
  }
  return false;
}

/// The module is the program; or the runtime, where that is a shared library, whose own calls leave nothing.
bool holds_runtime(const LoadedModule& module) {
  return module.has_code(reinterpret_cast<uptr>(&holds_runtime));
}

void make_unknown(ThreadState* thread, const LoadedModule& module, const char* why) {
  known.set(module.whole.begin, State::Unknown);
  hidden_state_counters.unknown_modules.fetch_add(1, std::memory_order_relaxed);
  note_module(thread, module.name, why);
}

void divert(ThreadState* thread, const LoadedModules& all, const LoadedModule& module) {
  const char* const path = module.name[0] == 0 ? "/proc/self/exe" : module.name;
  if (!find_static_code(path, module.bias)) {
    return make_unknown(thread, module, "parts of it were not compiled by omen-cc as it is now, or not to the end");
  }
  if (module.name[0] == 0) {
    for (u32 i = 0; i < module.codes; ++i) trust_code(module.code[i].begin, module.code[i].end);
  }
  const auto outcome = Linkage(module).divert(all, known, deep_loads.load(std::memory_order_relaxed) != 0);
  if (outcome != Linkage::Outcome::Done) return make_unknown(thread, module, reason(outcome));
  if (module.name[0] == 0) program_code = trusted_code();
}

/// First all are known, then calls are led over stubs: which function is foreign depends on where it is.
void look(ThreadState* thread, LoadedModule* room) {
  Listing listing{room, KnownModules::kMost, 0};
  dl_iterate_phdr(list_module, &listing);
  const LoadedModules all{listing.modules, listing.count};
  known.begin_round();
  for (u32 i = 0; i < all.count; ++i) {
    LoadedModule& module = room[i];
    if (known.is_known(module)) continue;
    const bool runtime = holds_runtime(module);
    const bool instrumented = runtime || Linkage(module).uses("__tsan_init");
    const State state = instrumented ? State::Instrumented : is_library(module) ? State::Library : State::Foreign;
    module.fresh = known.add(module, state) && instrumented && (!runtime || module.name[0] == 0);
  }
  known.end_round();
  for (u32 i = 0; i < all.count; ++i) {
    if (!room[i].fresh) continue;
    hidden_state_counters.modules.fetch_add(1, std::memory_order_relaxed);
    divert(thread, all, room[i]);
  }
}

}  // namespace

bool watching_hidden_state = false;
LoadedModule::Range program_code;

Origin search_origin(uptr place) {
  if (place == 0 || !watching_hidden_state) return Origin::Instrumented;
  switch (known.state_at(place)) {
    case State::Instrumented:
      if (is_static_code(place)) return Origin::Foreign;
      return is_in_incomplete_module(place) ? Origin::Unknown : Origin::Instrumented;
    case State::Unknown:
      return Origin::Unknown;
    case State::Library:
      return Origin::Library;
    default:
      return Origin::Foreign;
  }
}

void look_at_modules(uptr place) {
  if (!watching_hidden_state || (place != 0 && known.state_at(place) == State::Instrumented)) return;
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || (place != 0 && module_at(place).path == nullptr)) return;
  const Busy busy(thread);
  // Who else is at it only marks modules, and needs no lock that a thread holds which loads one.
  while (looking.exchange(1, std::memory_order_acquire) != 0) yield_cpu();
  constexpr std::size_t kRoom = KnownModules::kMost * sizeof(LoadedModule);
  if (auto* const room = static_cast<LoadedModule*>(map_memory(kRoom))) {
    look(thread, room);
    unmap_memory(room, kRoom);
  }
  looking.store(0, std::memory_order_release);
}

void forget_unloaded_modules() {
  ThreadState* const thread = recording_thread();
  if (!watching_hidden_state || thread == nullptr || looking.exchange(1, std::memory_order_acquire) != 0) return;
  const Busy busy(thread);
  known.begin_round();
  dl_iterate_phdr(mark_as_loaded, nullptr);
  known.end_round();
  looking.store(0, std::memory_order_release);
}

LoadsModules::LoadsModules(bool deep) : deep_(deep) {
  if (deep) deep_loads.fetch_add(1, std::memory_order_relaxed);
}
LoadsModules::~LoadsModules() {
  if (deep_) deep_loads.fetch_sub(1, std::memory_order_relaxed);
  forget_unloaded_modules();
}

void start_watching_hidden_state() {
  // Calls of an OpenMP runtime say what it orders, which every analysis has to know.
  const bool has_openmp = dlsym(RTLD_DEFAULT, "GOMP_parallel") != nullptr;
  if (detect::detector.on() && !recorder.recording() && !detect::detector.predicts() && !has_openmp) return;
  prepare_leaving();
  watching_hidden_state = true;
  look_at_modules(0);
}

void repeat_hidden_state_notes(ThreadState* thread) {
  looking.store(0, std::memory_order_relaxed);
  for (u32 i = 0; i < note_count; ++i) tell(thread, notes[i]);
}

}  // namespace omen::rt

/// Asked by thunks.cpp for the target of an indirect call; changes general registers only. A function that is known to
/// be harmless counts as well: its name is not at hand.
extern "C" __attribute__((visibility("hidden"), used)) bool omen_is_foreign(omen::rt::uptr address) {
  const omen::rt::Origin origin = omen::rt::origin_of(address);
  return origin == omen::rt::Origin::Foreign || origin == omen::rt::Origin::Library;
}
