#include "capture/runtime/schedule/log.hpp"

#include <asm/unistd.h>
#include <fcntl.h>

namespace omen::rt::schedule {

bool claim_log(const char* path) {
  const long file = system_call(__NR_open, reinterpret_cast<long>(path), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return false;
  system_call(__NR_close, file);
  return true;
}

LogMessage::~LogMessage() {
  const long file = system_call(__NR_open, reinterpret_cast<long>(path_), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  system_call(__NR_write, file, reinterpret_cast<long>(text_), static_cast<long>(used_));
  system_call(__NR_close, file);
}

LogMessage& LogMessage::operator<<(const char* text) {
  while (*text != 0) put(*text++);
  return *this;
}
LogMessage& LogMessage::operator<<(u64 number) {
  char digits[24];
  std::size_t n = sizeof digits;
  digits[--n] = 0;
  do {
    digits[--n] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return *this << (digits + n);
}
LogMessage& LogMessage::hexadecimal(u64 number) {
  int digit = 60;
  while (digit > 0 && number >> digit == 0) digit -= 4;
  *this << "0x";
  for (; digit >= 0; digit -= 4) put("0123456789abcdef"[number >> digit & 15]);
  return *this;
}

}  // namespace omen::rt::schedule
