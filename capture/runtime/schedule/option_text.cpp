#include "capture/runtime/schedule/option_text.hpp"

namespace omen::rt::schedule {

u64 number_in(const char* text) {
  u64 value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + static_cast<u64>(*text - '0');
  return value;
}

bool option_in(const char* text, const char* name, char* value, std::size_t room) {
  const std::size_t length = text_length(name);
  while (*text != 0) {
    if (text_starts(text, name) && text[length] == '=') {
      text += length + 1;
      std::size_t used = 0;
      while (*text != 0 && *text != ':' && used + 1 < room) value[used++] = *text++;
      value[used] = 0;
      return true;
    }
    while (*text != 0 && *text != ':') ++text;
    if (*text == ':') ++text;
  }
  return false;
}

}  // namespace omen::rt::schedule
