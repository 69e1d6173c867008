"""The channels of the generated programs: pieces of state that one thread sets and another queries, always under a lock.

Channels differ in how much of the setting and querying a detector can see. A visible channel is a plain variable. For all others at least one
side changes memory in code without instrumentation: a library, the C++ library's own object file, the C library, a function that is excepted
from the instrumentation, inline assembly. So the two critical sections conflict, and nothing in the trace of the program's own accesses
shows it.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Channel:
    """How one channel is declared, set and queried. `{i}` is its number; `asked` is an expression."""

    declare: str
    put: str
    asked: str
    locks: bool = True  # the program takes a lock around both; otherwise the library does
    visible: bool = False
    library: bool = False  # it lives in library.cpp, built without instrumentation
    of_process: bool = False  # one per process: every hop must take the same lock


CHANNELS = {
    "visible": Channel("static int visible_{i};", "visible_{i} = 1;", "visible_{i} != 0", visible=True),
    "shared_library": Channel("", "third_put({i});", "third_has({i}) != 0", library=True),
    "shared_library_reads": Channel("", "third_put({i});", "third_peek({i})[0] != 0", library=True),
    "archive": Channel("", "archive_put({i});", "archive_has({i}) != 0"),
    "opened_library": Channel("", "opened_put({i});", "opened_has({i}) != 0", library=True),
    "virtual_functions": Channel("static Channel* const virtual_{i} = third_channel();", "virtual_{i}->put();", "virtual_{i}->has()",
                                 library=True),
    "callback": Channel("static int called_{i};\nstatic void call_{i}(void*) {{ called_{i} = called_{i}; }}",
                        "third_put({i});", "third_each({i}, call_{i}) != 0", library=True),
    "library_with_lock": Channel("", "locked_put({i});", "locked_has({i}) != 0", locks=False, library=True),
    "list": Channel("static std::list<int> list_{i};", "list_{i}.push_back(1);", "!list_{i}.empty()"),
    "list_splice": Channel("static std::list<int> list_{i}, other_{i}(1);", "list_{i}.splice(list_{i}.end(), other_{i});",
                           "list_{i}.begin() != list_{i}.end()"),
    "set": Channel("static std::set<int> set_{i};", "set_{i}.insert(1);", "set_{i}.begin() != set_{i}.end()"),
    "map": Channel("static std::map<int, int> map_{i};", "map_{i}[1] = 1;", "map_{i}.find(1) != map_{i}.end()"),
    "string": Channel("static std::string string_{i};", "string_{i} += \"a text that is longer than the object\";",
                      "!string_{i}.empty()"),
    "stream": Channel("static std::stringstream stream_{i};", "stream_{i} << 1;", "stream_{i}.tellp() > 0"),
    "stream_text": Channel("static std::ostringstream stream_{i};", "stream_{i} << \"x\";", "!stream_{i}.str().empty()"),
    "file": Channel("static FILE* const file_{i} = std::tmpfile();", "std::fputc('x', file_{i});", "std::ftell(file_{i}) > 0"),
    "environment": Channel("", "setenv(\"HIDDEN_{i}\", \"1\", 1);", "std::getenv(\"HIDDEN_{i}\") != nullptr",
                           of_process=True),
    "excepted_function": Channel(
        "static int excepted_{i};\nEXCEPTED void put_{i}() {{ *(volatile int*)&excepted_{i} = 1; }}\n"
        "EXCEPTED int has_{i}() {{ return *(volatile int*)&excepted_{i}; }}", "put_{i}();", "has_{i}() != 0"),
    "assembly": Channel(
        "static int assembly_{i};\nstatic int ask_{i}() {{ int value; "
        "__asm__ volatile(\"movl %1, %0\" : \"=r\"(value) : \"m\"(assembly_{i}) : \"memory\"); return value; }}",
        "__asm__ volatile(\"movl $1, %0\" : \"=m\"(assembly_{i}) : : \"memory\");", "ask_{i}() != 0"),
}

# How the setter and the reader of a channel take its lock.
LOCKS = {
    "mutex": ("static std::mutex {m};", "std::lock_guard<std::mutex> lock({m});", "std::lock_guard<std::mutex> lock({m});"),
    "recursive": ("static std::recursive_mutex {m};", "std::lock_guard<std::recursive_mutex> lock({m});",
                  "std::lock_guard<std::recursive_mutex> lock({m}), again({m});"),
    "shared": ("static std::shared_mutex {m};", "std::unique_lock<std::shared_mutex> lock({m});",
               "std::shared_lock<std::shared_mutex> lock({m});"),
    "spin": ("static Spin {m};", "std::lock_guard<Spin> lock({m});", "std::lock_guard<Spin> lock({m});"),
}

HEADER = """\
#include <pthread.h>
#include <stdlib.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "library.h"
#include "invisible.h"
#if defined(__clang__)
#define EXCEPTED __attribute__((noinline, disable_sanitizer_instrumentation)) static
#else
#define EXCEPTED __attribute__((noinline, no_sanitize_thread)) static
#endif
struct Spin {
  pthread_spinlock_t word;
  Spin() { pthread_spin_init(&word, 0); }
  void lock() { pthread_spin_lock(&word); }
  void unlock() { pthread_spin_unlock(&word); }
};
static void (*opened_put)(int);
static int (*opened_has)(int);
"""

LIBRARY_HEADER = """\
#pragma once
struct Channel {
  virtual ~Channel() = default;
  virtual void put() = 0;
  virtual bool has() = 0;
};
Channel* third_channel();
extern "C" {
void third_put(int);
int third_has(int);
const volatile int* third_peek(int);
int third_each(int, void (*)(void*));
void locked_put(int);
int locked_has(int);
void archive_put(int);
int archive_has(int);
}
"""

LIBRARY = """\
#include "library.h"
#include <pthread.h>
static volatile int state[64], locked[64], scratch[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
namespace {
struct Hidden : Channel {
  volatile bool set = false;
  void put() override { set = true; }
  bool has() override { return set; }
};
}
Channel* third_channel() { return new Hidden; }
extern "C" {
void third_put(int i) { state[i] = 1; }
int third_has(int i) { return state[i]; }
const volatile int* third_peek(int i) { scratch[i] = state[i]; return &scratch[i]; }
int third_each(int i, void (*call)(void*)) {
  if (state[i] != 0) call(nullptr);
  return state[i];
}
void locked_put(int i) {
  pthread_mutex_lock(&mutex);
  locked[i] = 1;
  pthread_mutex_unlock(&mutex);
}
int locked_has(int i) {
  pthread_mutex_lock(&mutex);
  const int value = locked[i];
  pthread_mutex_unlock(&mutex);
  return value;
}
void opened_put(int i) { state[i] = 1; }
int opened_has(int i) { return state[i]; }
}
"""

ARCHIVE = """\
#include "library.h"
static volatile int state[64];
void archive_put(int i) { state[i] = 1; }
int archive_has(int i) { return state[i]; }
"""
