#include "trace/formats/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace omen {
namespace {

class FileBytes final : public ByteSource {
 public:
  FileBytes(int fd, bool owned, std::string name) : fd_(fd), owned_(owned), name_(std::move(name)) {
    struct stat status{};
    // Standard input may be a file of which a part was already read; then its size is meaningless.
    if (owned && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
      size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~FileBytes() override {
    if (owned_) ::close(fd_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::expected<std::size_t, InputError> read(std::span<char> out) override {
    return again([&] { return ::read(fd_, out.data(), out.size()); });
  }
  std::expected<std::size_t, InputError> read_at(std::uint64_t offset, std::span<char> out) override {
    return again([&] { return ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset)); });
  }
  std::optional<std::uint64_t> size() const override { return size_; }
  const std::string& name() const override { return name_; }

 private:
  template <class Call>
  std::expected<std::size_t, InputError> again(Call call) {
    while (true) {
      const ssize_t count = call();
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR)
        return std::unexpected(InputError{name_, "", std::string("cannot read: ") + std::strerror(errno)});
    }
  }

  int fd_;
  bool owned_;
  std::string name_;
  std::optional<std::uint64_t> size_;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string content, std::string name) : content_(std::move(content)), name_(std::move(name)) {}

  std::expected<std::size_t, InputError> read(std::span<char> out) override {
    const std::size_t count = copy(at_, out);
    at_ += count;
    return count;
  }
  std::expected<std::size_t, InputError> read_at(std::uint64_t offset, std::span<char> out) override {
    return copy(offset, out);
  }
  std::optional<std::uint64_t> size() const override { return content_.size(); }
  const std::string& name() const override { return name_; }

 private:
  std::size_t copy(std::uint64_t offset, std::span<char> out) const {
    if (offset >= content_.size()) return 0;
    return content_.copy(out.data(), out.size(), static_cast<std::size_t>(offset));
  }

  std::string content_;
  std::string name_;
  std::size_t at_ = 0;
};

class PutBack final : public ByteSource {
 public:
  PutBack(std::string first, std::unique_ptr<ByteSource> rest) : first_(std::move(first)), rest_(std::move(rest)) {}

  std::expected<std::size_t, InputError> read(std::span<char> out) override {
    if (at_ == first_.size()) return rest_->read(out);
    const std::size_t count = first_.copy(out.data(), out.size(), at_);
    at_ += count;
    return count;
  }
  std::expected<std::size_t, InputError> read_at(std::uint64_t offset, std::span<char> out) override {
    return rest_->read_at(offset, out);
  }
  std::optional<std::uint64_t> size() const override { return rest_->size(); }
  const std::string& name() const override { return rest_->name(); }

 private:
  std::string first_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t at_ = 0;
};

template <class Read>
std::expected<std::size_t, InputError> until_full(std::span<char> out, Read read) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    auto count = read(filled, out.subspan(filled));
    if (!count) return count;
    if (*count == 0) break;
    filled += *count;
  }
  return filled;
}

}  // namespace

std::expected<std::size_t, InputError> read_fully(ByteSource& bytes, std::span<char> out) {
  return until_full(out, [&](std::size_t, std::span<char> rest) { return bytes.read(rest); });
}

std::expected<std::size_t, InputError> read_fully_at(ByteSource& bytes, std::uint64_t offset, std::span<char> out) {
  return until_full(out,
                    [&](std::size_t filled, std::span<char> rest) { return bytes.read_at(offset + filled, rest); });
}

std::expected<std::unique_ptr<ByteSource>, InputError> open_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<FileBytes>(STDIN_FILENO, false, "standard input");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::unexpected(InputError{path, "", std::string("cannot open: ") + std::strerror(errno)});
  return std::make_unique<FileBytes>(fd, true, path);
}

std::unique_ptr<ByteSource> bytes_in_memory(std::string content, std::string name) {
  return std::make_unique<MemoryBytes>(std::move(content), std::move(name));
}

std::unique_ptr<ByteSource> put_back(std::string first, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PutBack>(std::move(first), std::move(rest));
}

}  // namespace omen
