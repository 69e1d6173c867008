#include "cli/proved_checker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>

#include "trace/error.hpp"

namespace omen::cli {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

/// An answer of the program.
struct Answer {
  std::optional<std::size_t> refused_at{};
  std::string reason{};
};

std::optional<Answer> parse(std::string_view line) {
  constexpr std::string_view kRefused = "refused ";
  if (line == "accepted") return Answer{};
  if (!line.starts_with(kRefused)) return std::nullopt;
  line.remove_prefix(kRefused.size());
  std::size_t step = 0;
  const auto number = std::from_chars(line.data(), line.data() + line.size(), step);
  if (number.ec != std::errc{}) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(number.ptr - line.data()));
  if (line.starts_with(' ')) line.remove_prefix(1);
  return Answer{step, std::string(line)};
}

/// Appends one event, with ids in place of names.
void append(std::string& text, const Event& event) {
  const OpTraits& op = traits(event.op);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}|{}", index(event.thread), op.name);
  if (op.ordered) fmt::format_to(out, ".{}", name(event.order));
  if (op.operand != OperandKind::None) fmt::format_to(out, "({})", event.operand);
  text += '\n';
}

std::string in_words(const std::expected<void, checker::Refusal>& result) {
  return result ? "accepts it" : fmt::format("refuses it at step {}: {}", result.error().step, result.error().reason);
}

}  // namespace

std::string ProvedChecker::expected_path() {
  std::error_code error;
  return (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "omen-proved-checker").string();
}

std::unique_ptr<ProvedChecker> ProvedChecker::start(const Trace& trace) {
  const std::string path = expected_path();
  int ends[2];
  if (access(path.c_str(), X_OK) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  std::string program = path;
  std::string input = "-";
  char* const arguments[] = {program.data(), input.data(), nullptr};
  pid_t process = 0;
  const int failure = posix_spawn(&process, path.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    return nullptr;
  }
  return std::unique_ptr<ProvedChecker>(new ProvedChecker(trace, ends[0], process));
}

ProvedChecker::ProvedChecker(const Trace& trace, int connection, pid_t process)
    : trace_(trace), words_(trace, checker::Model::Lw), connection_(connection), process_(process) {
  std::string text;
  for (const Event& event : trace.events) {
    append(text, event);
    if (text.size() < kBuffer) continue;
    send(text);
    text.clear();
  }
  send(text);
}

ProvedChecker::~ProvedChecker() {
  close(connection_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

void ProvedChecker::send(const std::string& text) {
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t sent = ::send(connection_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) internal_error(__FILE__, __LINE__, "omen-proved-checker ended before it had read everything");
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string ProvedChecker::answer() {
  std::string line;
  for (char c = 0;;) {
    const ssize_t got = ::recv(connection_, &c, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) internal_error(__FILE__, __LINE__, "omen-proved-checker ended without an answer");
    if (c == '\n') return line;
    line += c;
  }
}

std::expected<void, checker::Refusal> ProvedChecker::accepts(std::span<const std::uint32_t> witness) {
  std::string text = "@";
  for (const std::uint32_t event : witness) fmt::format_to(std::back_inserter(text), " {}", event);
  text += '\n';
  send(text);
  const std::string line = answer();
  const auto proved = parse(line);
  auto other = words_.accepts(witness);
  const bool agree =
      proved && (proved->refused_at ? !other && other.error().step == *proved->refused_at : other.has_value());
  if (!agree) {
    internal_error(__FILE__, __LINE__,
                   fmt::format("omen-proved-checker says '{}' of the witness {}; the other checker {}", line,
                               fmt::join(witness, " "), in_words(other)));
  }
  return other;
}

bool ProvedChecker::excludes(const vindicate::Certificate& certificate) {
  send(to_text(certificate));
  const std::string line = answer();
  if (line == "excluded") return true;
  if (!line.starts_with("refused ")) {
    internal_error(__FILE__, __LINE__, fmt::format("omen-proved-checker says '{}' of a certificate", line));
  }
  return false;
}

}  // namespace omen::cli
