#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace omen::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{250};

bool terminal_can_erase() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), enabled_(terminal_can_erase()), next_(Clock::now() + 2 * kInterval) {}

void Progress::show(std::uint64_t events, double fraction) {
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  const double millions = static_cast<double>(events) / 1e6;
  if (fraction < 0) {
    std::fprintf(stderr, "\r\033[K%s: %.1f million events", what_.c_str(), millions);
  } else {
    std::fprintf(stderr, "\r\033[K%s: %3.0f %%, %.1f million events", what_.c_str(), fraction * 100, millions);
  }
  std::fflush(stderr);
}

void Progress::show_text(const std::string& state) {
  const auto now = Clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s: %s", what_.c_str(), state.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!std::exchange(shown_, false)) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace omen::cli
