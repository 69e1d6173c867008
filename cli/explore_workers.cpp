#include "cli/explore_workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "report/race_json.hpp"

namespace omen::cli {
namespace {

using Json = nlohmann::ordered_json;

bool write_all(int file, const void* memory, std::size_t bytes) {
  const char* at = static_cast<const char*>(memory);
  while (bytes > 0) {
    const ssize_t done = ::write(file, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}
bool read_all(int file, void* memory, std::size_t bytes) {
  char* at = static_cast<char*>(memory);
  while (bytes > 0) {
    const ssize_t done = ::read(file, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

std::string as_message(const std::expected<ExploredRun, InputError>& run) {
  Json json;
  if (!run) {
    json["error"] = Json::array({run.error().file, run.error().position, run.error().message});
  } else {
    json = {
        {"controlled", run->controlled}, {"released", run->released}, {"points", run->points}, {"steps", run->steps},
        {"threads", run->threads},       {"schedule", run->schedule}, {"why", run->why}};
    report::RunReport report = run->report;
    report.exploration.emplace();  // so that as_json writes the failures
    json["report"] = report::as_json(report);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::expected<ExploredRun, InputError> from_message(const std::string& text) {
  const Json json = Json::parse(text);
  if (const auto error = json.find("error"); error != json.end()) {
    return std::unexpected(InputError{(*error)[0], (*error)[1], (*error)[2]});
  }
  ExploredRun run{.controlled = json["controlled"],
                  .released = json["released"],
                  .points = json["points"],
                  .steps = json["steps"],
                  .threads = json["threads"],
                  .schedule = json["schedule"],
                  .why = json["why"],
                  .report = {}};
  auto report = report::report_from_json(json["report"].dump(), "a run");
  if (!report) return std::unexpected(std::move(report.error()));
  run.report = std::move(*report);
  run.report.exploration.reset();
  return run;
}

[[noreturn]] void work(const ExploreSettings& settings, const report::Suppressions& suppressions, int orders,
                       int results) {
  fix_addresses();
  std::uint64_t order[2];
  while (read_all(orders, order, sizeof order)) {
    const std::string message = as_message(explore_once(settings, order[0], order[1], suppressions));
    const std::uint64_t bytes = message.size();
    if (!write_all(results, &bytes, sizeof bytes) || !write_all(results, message.data(), message.size())) break;
  }
  _exit(0);
}

}  // namespace

ExploreWorkers::ExploreWorkers(const ExploreSettings& settings, const report::Suppressions& suppressions,
                               std::uint64_t count) {
  const pid_t parent = getpid();
  for (std::uint64_t i = 0; i < count; ++i) {
    int orders[2];
    int results[2];
    if (pipe2(orders, O_CLOEXEC) != 0) break;
    if (pipe2(results, O_CLOEXEC) != 0) {
      close(orders[0]);
      close(orders[1]);
      break;
    }
    const pid_t pid = fork();
    if (pid == 0) {
      for (const Worker& other : workers_) {
        close(other.to);
        close(other.from);
      }
      close(orders[1]);
      close(results[0]);
      std::signal(SIGPIPE, SIG_IGN);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(1);
      work(settings, suppressions, orders[0], results[1]);
    }
    close(orders[0]);
    close(results[1]);
    if (pid < 0) {
      close(orders[1]);
      close(results[0]);
      break;
    }
    workers_.push_back({.pid = pid, .to = orders[1], .from = results[0], .busy = false, .order = {}});
  }
}

ExploreWorkers::~ExploreWorkers() {
  for (const Worker& worker : workers_) {
    close(worker.to);
    close(worker.from);
  }
  for (const Worker& worker : workers_) {
    if (worker.busy) kill(worker.pid, SIGTERM);
    while (waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool ExploreWorkers::has_idle() const {
  return std::ranges::any_of(workers_, [](const Worker& worker) { return !worker.busy; });
}
bool ExploreWorkers::has_busy() const {
  return std::ranges::any_of(workers_, &Worker::busy);
}

void ExploreWorkers::give(const Order& order) {
  const auto idle = std::ranges::find(workers_, false, &Worker::busy);
  idle->busy = true;
  idle->order = order;
  const std::uint64_t words[2] = {order.seed, order.steps};
  write_all(idle->to, words, sizeof words);  // `take` detects a worker that has ended
}

std::expected<ExploreWorkers::Done, InputError> ExploreWorkers::take() {
  std::vector<pollfd> waits;
  for (const Worker& worker : workers_) waits.push_back({worker.busy ? worker.from : -1, POLLIN, 0});
  const int ready = poll(waits.data(), waits.size(), -1);
  const auto gone = [](const char* why) { return std::unexpected(InputError{"omen explore", "", why}); };
  if (ready < 0) return gone(errno == EINTR ? "interrupted" : std::strerror(errno));
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].revents == 0) continue;
    Worker& worker = workers_[i];
    worker.busy = false;
    std::uint64_t bytes = 0;
    std::string message;
    if (!read_all(worker.from, &bytes, sizeof bytes)) return gone("a process that makes the runs has ended");
    message.resize(bytes);
    if (!read_all(worker.from, message.data(), bytes)) return gone("a process that makes the runs has ended");
    return Done{worker.order, from_message(message)};
  }
  return gone("a process that makes the runs has ended");
}

}  // namespace omen::cli
