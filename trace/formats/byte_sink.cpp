#include "trace/formats/byte_sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace omen {
namespace {

std::unexpected<InputError> failed(const std::string& name, const char* what) {
  return std::unexpected(InputError{name, "", std::string(what) + ": " + std::strerror(errno)});
}

std::expected<void, InputError> write_all(int fd, std::span<const char> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return failed(name, "cannot write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

/// Standard output, a device, a pipe: nothing to complete.
class DirectOutput final : public ByteSink {
 public:
  DirectOutput(int fd, bool owned, std::string name) : fd_(fd), owned_(owned), name_(std::move(name)) {}
  ~DirectOutput() override {
    if (owned_) ::close(fd_);
  }
  DirectOutput(const DirectOutput&) = delete;
  DirectOutput& operator=(const DirectOutput&) = delete;

  std::expected<void, InputError> write(std::span<const char> bytes) override { return write_all(fd_, bytes, name_); }
  std::expected<void, InputError> commit() override { return {}; }
  const std::string& name() const override { return name_; }

 private:
  int fd_;
  bool owned_;
  std::string name_;
};

class FileOutput final : public ByteSink {
 public:
  /// `target` is the file's destination (links resolved), `name` is what the user called it.
  FileOutput(std::string target, std::string name) : target_(std::move(target)), name_(std::move(name)) {
    const std::size_t slash = target_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : target_.substr(0, slash);
    temporary_ = target_ + ".tmp" + std::to_string(::getpid());
    fd_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd_ < 0) {
      fd_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
      temporary_exists_ = fd_ >= 0;
    }
  }
  ~FileOutput() override {
    if (fd_ >= 0) ::close(fd_);
    if (temporary_exists_) ::unlink(temporary_.c_str());
  }
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  bool is_open() const { return fd_ >= 0; }

  std::expected<void, InputError> write(std::span<const char> bytes) override { return write_all(fd_, bytes, name_); }

  std::expected<void, InputError> commit() override {
    if (!temporary_exists_) {
      // linkat does not replace, rename does: so the unnamed file gets the temporary name first.
      const std::string self = "/proc/self/fd/" + std::to_string(fd_);
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        return failed(name_, "cannot create");
      }
      temporary_exists_ = true;
    }
    if (::close(std::exchange(fd_, -1)) != 0) return failed(name_, "cannot write");
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failed(name_, "cannot create");
    temporary_exists_ = false;
    return {};
  }

  const std::string& name() const override { return name_; }

 private:
  std::string target_;
  std::string name_;
  std::string temporary_;
  int fd_ = -1;
  bool temporary_exists_ = false;
};

class MemoryOutput final : public ByteSink {
 public:
  MemoryOutput(std::string& out, std::string name) : out_(out), name_(std::move(name)) {}
  std::expected<void, InputError> write(std::span<const char> bytes) override {
    out_.append(bytes.data(), bytes.size());
    return {};
  }
  std::expected<void, InputError> commit() override { return {}; }
  const std::string& name() const override { return name_; }

 private:
  std::string& out_;
  std::string name_;
};

/// The target of symbolic links, so that a link to an output stays a link.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

}  // namespace

std::expected<std::unique_ptr<ByteSink>, InputError> create_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<DirectOutput>(STDOUT_FILENO, false, "standard output");
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return failed(path, "cannot create");
    return std::make_unique<DirectOutput>(fd, true, path);
  }
  auto file = std::make_unique<FileOutput>(resolved(path), path);
  if (!file->is_open()) return failed(path, "cannot create");
  return file;
}

std::unique_ptr<ByteSink> bytes_to_memory(std::string& out, std::string name) {
  return std::make_unique<MemoryOutput>(out, std::move(name));
}

}  // namespace omen
