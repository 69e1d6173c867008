/// \file
/// Creates and extends the file of a recording.
#include "capture/runtime/records/recording_file.hpp"

#include <asm/unistd.h>
#include <linux/errno.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace omen::rt {
namespace {

constexpr long kOpenCreate = 02 | 0100 | 0200 | 02000000;  // O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
constexpr long kOpenAgain = 02 | 02000000;                 // O_RDWR | O_CLOEXEC
constexpr long kDuplicate = 1030;                          // F_DUPFD_CLOEXEC
constexpr long kHighDescriptor = 900;
constexpr long kReadWrite = 3;
constexpr u64 kMostReserve = u64{1} << 30;           ///< of the disk, or a tenth of it if that is less
constexpr u64 kLookBytes = u64{1} << 20;             ///< recorded between two checks of the free space
constexpr long kShared = 1;                          // MAP_SHARED
constexpr u64 kFileSizeSignal = u64{1} << (25 - 1);  // SIGXFSZ

/// Blocks the signals that extending a file may raise, and discards those raised by it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const u64 all = ~u64{0};
    system_call(__NR_rt_sigprocmask, 0, reinterpret_cast<long>(&all), reinterpret_cast<long>(&old_), sizeof old_);
  }
  ~SignalsBlocked() {
    if ((old_ & kFileSizeSignal) == 0) {
      // A signal raised by our own extension: consume it.
      const u64 only = kFileSizeSignal;
      const long zero[2] = {0, 0};
      system_call(__NR_rt_sigtimedwait, reinterpret_cast<long>(&only), 0, reinterpret_cast<long>(zero), sizeof only);
    }
    system_call(__NR_rt_sigprocmask, 2, reinterpret_cast<long>(&old_), 0, sizeof old_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  u64 old_ = 0;
};

/// Allocates `bytes` of the file from `offset` on disk.
long reserve(long file, u64 offset, u64 bytes) {
  long result = system_call(__NR_fallocate, file, 0, static_cast<long>(offset), static_cast<long>(bytes));
  if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  static char zeros[4096];
  for (u64 done = 0; done < bytes; done += sizeof zeros) {
    result =
        system_call(__NR_pwrite64, file, reinterpret_cast<long>(zeros), sizeof zeros, static_cast<long>(offset + done));
    if (result < 0) return result;
    if (result != static_cast<long>(sizeof zeros)) return -ENOSPC;
  }
  return 0;
}

void* map_file(long file, u64 offset, u64 bytes) {
  const long at =
      system_call(__NR_mmap, 0, static_cast<long>(bytes), kReadWrite, kShared, file, static_cast<long>(offset));
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<void*>(at);
}

/// The reserve is for others: the program, and the analysis.
bool is_disk_nearly_full(long file) {
  struct statfs status = {};
  if (system_call(__NR_fstatfs, file, reinterpret_cast<long>(&status)) != 0) return false;
  const u64 block = static_cast<u64>(status.f_bsize);
  const u64 tenth = status.f_blocks * block / 10;
  return status.f_bavail * block < (tenth < kMostReserve ? tenth : kMostReserve);
}

void append(char* text, std::size_t size, std::size_t& used, const char* more) {
  while (*more != 0 && used + 1 < size) text[used++] = *more++;
  text[used] = 0;
}

void append(char* text, std::size_t size, std::size_t& used, u64 number) {
  char digits[24];
  std::size_t n = sizeof digits;
  digits[--n] = 0;
  do digits[--n] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  append(text, size, used, digits + n);
}

}  // namespace

bool RecordingFile::create(const char* folder, u64 limit_bytes, u32 parent) {
  process_ = process_id();
  // A process keeps its number over exec: the name must be new all the same.
  long file = -EEXIST;
  for (u64 attempt = 0; file == -EEXIST && attempt < 1000; ++attempt) {
    std::size_t used = 0;
    append(path_, sizeof path_, used, folder);
    append(path_, sizeof path_, used, "/");
    append(path_, sizeof path_, used, process_);
    append(path_, sizeof path_, used, ".");
    append(path_, sizeof path_, used, attempt);
    append(path_, sizeof path_, used, ".raw");
    file = system_call(__NR_open, reinterpret_cast<long>(path_), kOpenCreate, 0600);
  }
  if (file < 0) {
    Message() << "cannot record to " << path_ << " (error " << static_cast<u64>(-file)
              << "); the program runs unrecorded";
    return false;
  }
  long reserved = 0;
  {
    const SignalsBlocked blocked;
    reserved = reserve(file, 0, raw::kFileHeaderBytes);
  }
  void* const memory = reserved < 0 ? nullptr : map_file(file, 0, raw::kFileHeaderBytes);
  system_call(__NR_close, file);
  if (memory == nullptr) {
    Message() << "cannot record to " << path_ << ": no space; the program runs unrecorded";
    system_call(__NR_unlink, reinterpret_cast<long>(path_));
    return false;
  }
  header_ = static_cast<raw::RawFileHeader*>(memory);
  header_->version = raw::kVersion;
  header_->process = process_;
  header_->parent = parent;
  header_->limit_bytes = limit_bytes;
  copy_bytes(header_->magic, raw::kMagic, sizeof raw::kMagic);
  bytes_ = raw::kFileHeaderBytes;
  next_look_ = 0;
  limit_ = limit_bytes;
  stopped_.store(false, std::memory_order_relaxed);
  return true;
}

/// The kept descriptor, if it still refers to our file; else a new one, which is kept from now on.
long RecordingFile::open_again() {
  struct stat status = {};
  if (descriptor_ >= 0 && system_call(__NR_fstat, descriptor_, reinterpret_cast<long>(&status)) == 0 &&
      status.st_dev == device_ && status.st_ino == file_number_) {
    return descriptor_;
  }
  descriptor_ = -1;
  const long file = system_call(__NR_open, reinterpret_cast<long>(path_), kOpenAgain);
  if (file < 0) return file;
  const long high = system_call(__NR_fcntl, file, kDuplicate, kHighDescriptor);
  if (high < 0) return file;  // closed by the caller
  system_call(__NR_close, file);
  if (system_call(__NR_fstat, high, reinterpret_cast<long>(&status)) == 0) {
    descriptor_ = high;
    device_ = status.st_dev;
    file_number_ = status.st_ino;
  }
  return high;
}

/// Stops the recording if another chunk exceeds a limit.
bool RecordingFile::is_full(long file, const std::atomic<u64>& counter) {
  if (limit_ != 0 && bytes_ + raw::kChunkBytes > limit_) {
    stop(raw::Stop::SizeLimit, 0, counter);
    return true;
  }
  if (bytes_ < next_look_) return false;
  next_look_ = bytes_ + kLookBytes;
  if (!is_disk_nearly_full(file)) return false;
  stop(raw::Stop::Reserve, 0, counter);
  return true;
}

raw::ChunkHeader* RecordingFile::take_chunk(const std::atomic<u64>& counter) {
  if (stopped()) return nullptr;
  const SignalsBlocked blocked;
  const SpinGuard guard(lock_);
  if (stopped()) return nullptr;
  const long file = open_again();
  if (file < 0) {
    stop(raw::Stop::NoFile, -file, counter);
    return nullptr;
  }
  if (is_full(file, counter)) {
    if (file != descriptor_) system_call(__NR_close, file);
    return nullptr;
  }
  const long reserved = reserve(file, bytes_, raw::kChunkBytes);
  void* const memory = reserved < 0 ? nullptr : map_file(file, bytes_, raw::kChunkBytes);
  if (file != descriptor_) system_call(__NR_close, file);
  if (memory == nullptr) {
    stop(reserved < 0 ? raw::Stop::NoSpace : raw::Stop::NoMemory, -reserved, counter);
    return nullptr;
  }
  bytes_ += raw::kChunkBytes;
  auto* const chunk = static_cast<raw::ChunkHeader*>(memory);
  chunk->bytes = raw::kChunkBytes;
  return chunk;
}

bool RecordingFile::put_chunk(raw::ChunkHeader* chunk, const std::atomic<u64>& counter) {
  if (stopped()) return false;
  const SignalsBlocked blocked;
  u64 offset = 0;
  long file = 0;
  bool kept = false;
  {
    const SpinGuard guard(lock_);
    if (stopped()) return false;
    file = open_again();
    if (file < 0) {
      stop(raw::Stop::NoFile, -file, counter);
      return false;
    }
    kept = file == descriptor_;
    if (is_full(file, counter)) {
      if (!kept) system_call(__NR_close, file);
      return false;
    }
    offset = bytes_;
    bytes_ += raw::kChunkBytes;
  }
  long result = 0;
  for (u64 done = 0; done < raw::kChunkBytes; done += static_cast<u64>(result)) {
    result = system_call(__NR_pwrite64, file, reinterpret_cast<long>(chunk) + static_cast<long>(done),
                         static_cast<long>(raw::kChunkBytes - done), static_cast<long>(offset + done));
    if (result <= 0) break;
  }
  if (!kept) system_call(__NR_close, file);
  if (result <= 0) {
    const SpinGuard guard(lock_);
    if (!stopped()) stop(raw::Stop::NoSpace, result == 0 ? ENOSPC : -result, counter);
    return false;
  }
  // Zero the first record first: a reader of a half-cleared chunk sees an empty one.
  auto* const records = reinterpret_cast<raw::Record*>(chunk + 1);
  records->rest = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  clear_bytes(records, raw::kChunkBytes - sizeof *chunk);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ++chunk->order;
  return true;
}

void RecordingFile::stop(raw::Stop why, long error, const std::atomic<u64>& counter) {
  header_->stop_errno = static_cast<int>(error);
  header_->stop_number = counter.load(std::memory_order_relaxed);
  header_->stop = why;
  stopped_.store(true, std::memory_order_relaxed);
  const char* const reason = why == raw::Stop::SizeLimit ? "the size limit is reached (max_trace_mb)"
                             : why == raw::Stop::Reserve ? "there is no space left on the disk but a reserve"
                             : why == raw::Stop::NoSpace ? "there is no space left"
                             : why == raw::Stop::NoFile  ? "the file cannot be opened any more"
                                                         : "there is no memory left";
  Message() << "recording stopped: " << reason << "; the program goes on unrecorded";
}

void RecordingFile::abandon() {
  if (header_ != nullptr) unmap_memory(header_, raw::kFileHeaderBytes);
  if (descriptor_ >= 0 && open_again() == descriptor_) system_call(__NR_close, descriptor_);
  descriptor_ = -1;
  header_ = nullptr;
  lock_.reset();
  stopped_.store(true, std::memory_order_relaxed);
}

}  // namespace omen::rt
