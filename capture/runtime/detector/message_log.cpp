#include "capture/runtime/detector/message_log.hpp"

#include <asm/unistd.h>
#include <sys/stat.h>

#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::detect {

namespace word = online_log::word;
using online_log::ControlPage;
using online_log::Judgement;

namespace {

constexpr long kCreateAppend = 0x1 | 0x40 | 0x400 | 0x80000;  // O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
constexpr long kReadWriteFile = 0x2 | 0x80000;                // O_RDWR | O_CLOEXEC
constexpr long kHighDescriptor = 900;                         // out of the way of programs that count descriptors
constexpr long kDuplicateFrom = 1030;                         // F_DUPFD_CLOEXEC

class Path {
 public:
  Path& operator<<(const char* text) {
    while (*text != 0 && used_ + 1 < sizeof text_) text_[used_++] = *text++;
    text_[used_] = 0;
    return *this;
  }
  Path& operator<<(u64 number) {
    char digits[24];
    std::size_t n = sizeof digits;
    digits[--n] = 0;
    do {
      digits[--n] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << (digits + n);
  }
  long text() const { return reinterpret_cast<long>(text_); }

 private:
  char text_[3500] = {};
  std::size_t used_ = 0;
};

bool is_separator(char letter) {
  return letter == ' ' || letter == ':' || letter == ',' || letter == '\n' || letter == '\t' || letter == '\r';
}

/// The text behind the last `name=`; null: it is not there.
const char* value_in(const char* options, const char* name) {
  if (options == nullptr) return nullptr;
  const char* value = nullptr;
  const std::size_t length = text_length(name);
  for (const char* at = options; *at != 0; ++at) {
    const bool begins = at == options || is_separator(at[-1]);
    if (begins && text_starts(at, name) && at[length] == '=') value = at + length + 1;
  }
  return value;
}

u64 option_in(const char* options, const char* name, u64 otherwise) {
  const char* digit = value_in(options, name);
  if (digit == nullptr) return otherwise;
  u64 value = 0;
  for (; *digit >= '0' && *digit <= '9'; ++digit) value = value * 10 + static_cast<u64>(*digit - '0');
  return value;
}

}  // namespace

bool option_is_there(const char* name) {
  return value_in(environment("OMEN_OPTIONS"), name) != nullptr;
}

bool option_is(const char* name, const char* value) {
  const char* text = value_in(environment("OMEN_OPTIONS"), name);
  if (text == nullptr) return false;
  const char quote = *text == '"' || *text == '\'' ? *text++ : '\0';
  if (!text_starts(text, value)) return false;
  const char next = text[text_length(value)];
  return next == 0 || next == quote || is_separator(next);
}

u64 number_option(const char* name, u64 otherwise) {
  return option_in(environment("OMEN_OPTIONS"), name, option_in(environment("TSAN_OPTIONS"), name, otherwise));
}

bool MessageLog::open_file() {
  Path path;
  path << folder_ << "/" << online_log::kLogFile << u64{process_id()};
  const long file = system_call(__NR_open, path.text(), kCreateAppend, 0644);
  if (file < 0) return false;
  const long high = system_call(__NR_fcntl, file, kDuplicateFrom, kHighDescriptor);
  if (high >= 0) system_call(__NR_close, file);
  file_ = static_cast<int>(high >= 0 ? high : file);
  struct stat status;
  if (system_call(__NR_fstat, file_, reinterpret_cast<long>(&status)) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  return true;
}

/// The program may have closed our descriptor, and may have a file of its own behind the number.
bool MessageLog::still_open() const {
  struct stat status;
  return system_call(__NR_fstat, file_, reinterpret_cast<long>(&status)) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_;
}

bool MessageLog::open(const char* analysis, const char* folder, u32 parent) {
  folder_ = folder;
  if (file_ >= 0 && still_open()) system_call(__NR_close, file_);  // the parent's
  failed_ = false;
  if (!open_file()) return false;
  if (control_ == nullptr) {
    Path control;
    control << folder << "/" << online_log::kControlFile;
    const long opened = system_call(__NR_open, control.text(), kReadWriteFile);
    if (opened >= 0) {
      const long at = system_call(__NR_mmap, 0, ControlPage::kBytes, 3 /* read, write */, 1 /* shared */, opened, 0);
      if (at > 0 || at < -4095) control_ = reinterpret_cast<ControlPage*>(at);
      system_call(__NR_close, opened);
    }
  }
  begin();
  *this << word::kBegin << " " << online_log::kVersion << " " << analysis << "\n";
  *this << word::kProcess << " " << u64{process_id()} << " " << u64{parent} << "\n";
  end();
  return true;
}

void MessageLog::flush() {
  std::size_t done = 0;
  const bool usable = !failed_ && (still_open() || open_file());
  while (usable && done < used_) {
    const long written =
        system_call(__NR_write, file_, reinterpret_cast<long>(text_ + done), static_cast<long>(used_ - done));
    if (written <= 0 && written != -4 /* interrupted */) break;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  // Half a message is none, so nothing may follow it.
  if (done < used_ && !failed_) {
    failed_ = true;
    Message() << "cannot write to " << folder_ << " any more; races that are found from here on are not reported";
  }
  used_ = 0;
}

void MessageLog::end() {
  flush();
  lock_.unlock();
}

void MessageLog::counter(const char* name, u64 value) {
  *this << word::kCounter << " " << name << " " << value << "\n";
}

void MessageLog::say(const char* word, const char* text) {
  begin();
  *this << word << " ";
  escaped(text) << "\n";
  end();
}

MessageLog& MessageLog::operator<<(const char* text) {
  for (; *text != 0; ++text) {
    if (used_ == sizeof text_) flush();
    text_[used_++] = *text;
  }
  return *this;
}
MessageLog& MessageLog::operator<<(u64 number) {
  char digits[24];
  std::size_t n = sizeof digits;
  digits[--n] = 0;
  do {
    digits[--n] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return *this << (digits + n);
}
MessageLog& MessageLog::hexadecimal(u64 number) {
  char digits[20];
  std::size_t n = sizeof digits;
  digits[--n] = 0;
  do {
    digits[--n] = "0123456789abcdef"[number & 15];
    number >>= 4;
  } while (number != 0);
  return *this << "0x" << (digits + n);
}
MessageLog& MessageLog::escaped(const char* text) {
  for (; *text != 0; ++text) {
    const char one[2] = {*text, 0};
    *this << (*text == '\n' ? "\\n" : *text == '\\' ? "\\\\" : one);
  }
  return *this;
}
MessageLog& MessageLog::stack(const uptr* places, std::size_t count) {
  *this << " " << online_log::kStack;
  if (count == 0) *this << " " << online_log::kUnknownStack;
  for (std::size_t i = 0; i < count; ++i) {
    *this << " ";
    hexadecimal(places[i]);
  }
  return *this << "\n";
}
MessageLog& MessageLog::stack_at(Place where) {
  uptr places[128] = {where.pc};
  return stack(places, where.pc == 0 ? 0 : 1 + recorder.unwind(where.frame, places + 1, 127));
}

u64 MessageLog::take_race_number() {
  static std::atomic<u64> own{0};
  return (control_ != nullptr ? control_->races : own).fetch_add(1, std::memory_order_relaxed) + 1;
}

bool MessageLog::await_judgement(u64 number, Judgement& judgement) const {
  if (control_ == nullptr || failed_) return false;
  constexpr long kNoSuchProcess = -3;  // -ESRCH
  const long parent = system_call(__NR_getppid);
  while (!control_->find_judgement(number, judgement)) {
    const u64 nap[2] = {0, 1'000'000};
    system_call(__NR_nanosleep, reinterpret_cast<long>(nap), 0);
    const bool alone =
        watcher_ != 0 ? system_call(__NR_kill, watcher_, 0) == kNoSuchProcess : system_call(__NR_getppid) != parent;
    if (alone) return control_->find_judgement(number, judgement);
  }
  return true;
}

bool MessageLog::is_reported(u64 race) {
  if (Judgement judgement{}; (halt_ || wanted_) && await_judgement(race, judgement)) {
    if (judgement == Judgement::End) system_call(__NR_exit_group, exit_code_);
    return judgement == Judgement::Reported;
  }
  return false;
}

int MessageLog::end_code(u64 number) {
  Judgement judgement{};
  if (number == 0 || !await_judgement(number, judgement) || judgement != Judgement::End) return -1;
  return static_cast<int>(control_->exit_code.load(std::memory_order_relaxed));
}

}  // namespace omen::rt::detect
