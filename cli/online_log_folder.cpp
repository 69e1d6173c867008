#include "cli/online_log_folder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace omen::cli {
namespace {

using online_log::ControlPage;

constexpr std::string_view kLogName = online_log::kLogFile;
/// The longest wait between two looks at the logs, in milliseconds: with notification of changes, and without.
constexpr int kLongWait = 200;
constexpr int kShortWait = 5;

InputError system_error(const std::string& path) {
  return {path, "", std::strerror(errno)};
}

}  // namespace

std::expected<OnlineControl, InputError> OnlineControl::create(const std::string& folder) {
  const std::string path = folder + "/" + online_log::kControlFile;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return std::unexpected(system_error(path));
  void* memory = MAP_FAILED;
  // Allocates the blocks now: a full disk must not crash omen or the program later.
  errno = posix_fallocate(file, 0, ControlPage::kBytes);
  if (errno == 0) memory = mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const auto error = memory == MAP_FAILED ? system_error(path) : InputError{};
  close(file);
  if (memory == MAP_FAILED) return std::unexpected(error);
  return OnlineControl(static_cast<ControlPage*>(memory));
}

OnlineControl::~OnlineControl() {
  if (page_ == nullptr) return;
  let_all_go_on();
  munmap(page_, ControlPage::kBytes);
}

void OnlineControl::judge(std::uint64_t race, online::Judgement judgement) {
  page_->judge(race, judgement);
}

void OnlineControl::end(std::uint64_t number, int code) {
  if (number == 0) return;
  if (code != 0) page_->exit_code.store(static_cast<std::uint64_t>(code), std::memory_order_relaxed);
  judge(number, code != 0 ? online::Judgement::End : online::Judgement::NotReported);
}

void OnlineControl::let_all_go_on() {
  constexpr std::uint64_t kJudged = ControlPage::kJudged;
  const std::uint64_t last = page_->races.load(std::memory_order_acquire);
  const std::uint64_t first = last < kJudged / 4 ? 1 : last - kJudged / 4 + 1;
  for (std::uint64_t race = first; race < first + kJudged; ++race) judge(race, online::Judgement::NotReported);
}

OnlineLogs::OnlineLogs(std::string folder) : folder_(std::move(folder)) {
  changes_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (changes_ >= 0 && inotify_add_watch(changes_, folder_.c_str(), IN_CREATE | IN_MODIFY) < 0) {
    close(changes_);
    changes_ = -1;
  }
}

OnlineLogs::~OnlineLogs() {
  if (changes_ >= 0) close(changes_);
  for (auto& [path, log] : logs_) {
    if (log.descriptor >= 0) close(log.descriptor);
  }
}

void OnlineLogs::wait(int process_descriptor) const {
  pollfd waits[2] = {{changes_, POLLIN, 0}, {process_descriptor, POLLIN, 0}};
  poll(waits, 2, changes_ >= 0 && process_descriptor >= 0 ? kLongWait : kShortWait);
  char ignored[4096];
  while (changes_ >= 0 && ::read(changes_, ignored, sizeof ignored) > 0) {
  }
}

void OnlineLogs::find_new() {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    const std::string path = entry.path().string();
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kLogName) || logs_.contains(path)) continue;
    std::uint64_t process = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, wrong] = std::from_chars(name.data() + kLogName.size(), end, process);
    if (wrong != std::errc{} || stop != end) continue;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    logs_.emplace(path, Log{process, descriptor, online::LogReader(path), false});
  }
}

std::expected<void, InputError> OnlineLogs::read(Log& log, const Take& take) {
  char bytes[1 << 16];
  while (true) {
    const ssize_t got = ::read(log.descriptor, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    std::vector<online::Message> messages;
    auto ok = log.reader.read({bytes, static_cast<std::size_t>(got)}, messages);
    for (const online::Message& message : messages) {
      if (auto taken = take(log.process, message); !taken) return taken;
    }
    if (!ok) return ok;
  }
}

void OnlineLogs::read(const Take& take) {
  find_new();
  for (auto& [path, log] : logs_) {
    if (log.failed || log.descriptor < 0) continue;
    if (auto ok = read(log, take); !ok) {
      log.failed = true;
      if (!error_) error_ = std::move(ok.error());
    }
  }
}

}  // namespace omen::cli
