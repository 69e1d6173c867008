#include "bench/child.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace omen::bench {
namespace {

bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

std::size_t read_all(int file, char* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(file, bytes + done, size - done);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

std::optional<rusage> in_child(void* result, std::size_t size, const std::function<bool()>& work) {
  std::array<int, 2> ends{};
  std::fflush(nullptr);
  if (::pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return std::nullopt;
  }
  if (child == 0) {
    ::close(ends[0]);
    const bool done = work() && write_all(ends[1], static_cast<const char*>(result), size);
    std::fflush(nullptr);
    ::_exit(done ? 0 : 1);
  }
  ::close(ends[1]);
  const std::size_t got = read_all(ends[0], static_cast<char*>(result), size);
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return std::nullopt;
  if (WIFSIGNALED(status)) fmt::print(stderr, "omen-bench: a measurement was ended by signal {}\n", WTERMSIG(status));
  if (got != size || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return usage;
}

}  // namespace omen::bench
