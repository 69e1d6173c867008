/// \file
/// LLVM's OpenMP runtime, libomp, reports its regions, tasks and locks to a tool, which it requests through the
/// function `ompt_start_tool`. LLVM has such a tool for race detectors, libarcher, beside libomp. This file finds it
/// there, so that the user need not set `OMP_TOOL_LIBRARIES`.
///
/// libarcher reads `TSAN_OPTIONS` and warns if `ignore_noninstrumented_modules` is missing. The option hides accesses
/// to libomp's own memory, which the runtime ignores anyway (foreign/c_library.hpp). So the option is set while the
/// tool starts.
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "capture/runtime/base/real_function.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;

namespace {

constexpr char kTool[] = "/libarcher.so";
constexpr char kOption[] = "ignore_noninstrumented_modules=1";
constexpr u32 kPathBytes = 4096;

constinit Real<void*(const char*, int)> real_open{"dlopen", nullptr};
constinit Real<char*(const char*, char*)> real_path{"realpath", nullptr};
constinit Real<int(const char*, const char*, int)> real_setenv{"setenv", nullptr};
constinit Real<int(const char*)> real_unsetenv{"unsetenv", nullptr};
constinit Real<char*(const char*)> real_getenv{"getenv", nullptr};

/// The result of `ompt_start_tool`.
struct Tool {
  int (*initialize)(void*, int, void**);
  void (*finalize)(void**);
  void* data;
};
Tool* archer = nullptr;
Tool tool;

struct Search {
  uptr caller;
  char path[kPathBytes];
};

/// Stores the path of the module that requests a tool, which is libomp.
int look_at_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.caller - (info->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    if (real_path.get()(info->dlpi_name, search.path) == nullptr) search.path[0] = 0;
    return 1;
  }
  return 0;
}

/// Replaces the file name in `path` by the tool's.
bool name_tool(char* path) {
  u32 end = 0;
  for (u32 i = 0; path[i] != 0; ++i) {
    if (path[i] == '/') end = i;
  }
  if (path[0] != '/' || end + sizeof kTool > kPathBytes) return false;
  copy_bytes(path + end, kTool, sizeof kTool);
  return true;
}

int initialize(void* lookup, int device, void**) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return 0;
  const char* const before = real_getenv.get()("TSAN_OPTIONS");
  char kept[kPathBytes] = "";
  char options[kPathBytes + sizeof kOption + 1];
  u32 used = 0;
  if (before != nullptr) {
    for (; before[used] != 0 && used + 1 < kPathBytes; ++used) kept[used] = options[used] = before[used];
    kept[used] = 0;
    if (used > 0) options[used++] = ':';
  }
  copy_bytes(options + used, kOption, sizeof kOption);
  int result = 0;
  {
    const Busy busy(thread);
    real_setenv.get()("TSAN_OPTIONS", options, 1);
    result = archer->initialize(lookup, device, &archer->data);
    if (before == nullptr) {
      real_unsetenv.get()("TSAN_OPTIONS");
    } else {
      real_setenv.get()("TSAN_OPTIONS", kept, 1);
    }
  }
  return result;
}
void finalize(void**) {
  archer->finalize(&archer->data);
}

}  // namespace

/// A tool that the program itself defines takes precedence over this one. If `OMP_TOOL_LIBRARIES` is set this
/// function returns none, so that libomp loads the user's tool.
extern "C" __attribute__((weak, visibility("default"))) void* ompt_start_tool(unsigned version, const char* runtime) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || getenv("OMP_TOOL_LIBRARIES") != nullptr) return nullptr;
  const Busy busy(thread);
  Search search{reinterpret_cast<uptr>(__builtin_return_address(0)), ""};
  dl_iterate_phdr(look_at_module, &search);
  if (!name_tool(search.path)) return nullptr;
  void* const library = real_open.get()(search.path, RTLD_LAZY);
  if (library == nullptr) return nullptr;
  auto* const start = reinterpret_cast<Tool* (*)(unsigned, const char*)>(dlsym(library, "ompt_start_tool"));
  archer = start == nullptr ? nullptr : start(version, runtime);
  if (archer == nullptr) return nullptr;
  tool = {initialize, finalize, nullptr};
  return &tool;
}
