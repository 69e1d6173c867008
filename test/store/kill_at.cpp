/// \file
/// Loaded by LD_PRELOAD: ends the program with SIGKILL at the n-th call (OMEN_TEST_KILL_AT, from 1) that changes a file
/// or sends data, before the call or, for a write, in the middle of it. With OMEN_TEST_COUNT_INTO it writes the number
/// of such calls into that file when the program ends.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<long> calls{0};

long kill_at() {
  static const long at = [] {
    const char* const text = std::getenv("OMEN_TEST_KILL_AT");
    return text == nullptr ? 0 : std::atol(text);
  }();
  return at;
}

/// True for the call at which to end.
bool is_the_one() {
  return ++calls == kill_at();
}

void die() {
  kill(getpid(), SIGKILL);
  while (true) pause();
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

struct AtEnd {
  ~AtEnd() {
    const char* const path = std::getenv("OMEN_TEST_COUNT_INTO");
    if (path == nullptr) return;
    if (std::FILE* file = std::fopen(path, "w"); file != nullptr) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
} at_end;

}  // namespace

extern "C" {

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  static const auto original = real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  if (is_the_one()) {
    original(file, bytes, size / 2, offset);
    die();
  }
  return original(file, bytes, size, offset);
}

int fdatasync(int file) {
  static const auto original = real<int (*)(int)>("fdatasync");
  if (is_the_one()) die();
  return original(file);
}

int fsync(int file) {
  static const auto original = real<int (*)(int)>("fsync");
  if (is_the_one()) die();
  return original(file);
}

int unlink(const char* path) {
  static const auto original = real<int (*)(const char*)>("unlink");
  if (is_the_one()) die();
  return original(path);
}

int ftruncate64(int file, off64_t size) {
  static const auto original = real<int (*)(int, off64_t)>("ftruncate64");
  if (is_the_one()) die();
  return original(file, size);
}

ssize_t send(int file, const void* bytes, size_t size, int flags) {
  static const auto original = real<ssize_t (*)(int, const void*, size_t, int)>("send");
  if (is_the_one()) {
    original(file, bytes, size / 2, flags);
    die();
  }
  return original(file, bytes, size, flags);
}

}  // extern "C"
