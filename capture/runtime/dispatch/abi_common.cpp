/// \file
/// The sanitizers' common interface (`sanitizer/common_interface_defs.h`), the part that ThreadSanitizer's runtime has.
///
/// Reports are made outside of the program, so the functions that configure their printing have no effect. Nothing here
/// reads debug information: a code location is given as module and offset, which `addr2line` accepts.
#include <asm/unistd.h>

#include "capture/runtime/base/own_modules.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;

/// The runtime of another sanitizer may be linked and define these too.
#define OMEN_WEAK_ABI extern "C" __attribute__((visibility("default"), weak))

namespace {

/// Text in a caller's buffer, truncated at its end.
class Text {
 public:
  Text(char* out, uptr room) : out_(out), room_(room) {
    if (room_ != 0) out_[0] = 0;
  }
  Text& operator<<(const char* text) {
    for (; *text != 0; ++text) put(*text);
    return *this;
  }
  Text& operator<<(uptr number) {
    *this << "0x";
    int digit = 60;
    while (digit > 0 && number >> digit == 0) digit -= 4;
    for (; digit >= 0; digit -= 4) put("0123456789abcdef"[number >> digit & 15]);
    return *this;
  }

 private:
  void put(char letter) {
    if (used_ + 1 >= room_) return;
    out_[used_++] = letter;
    out_[used_] = 0;
  }

  char* out_;
  uptr room_;
  uptr used_ = 0;
};

constexpr uptr kPathBytes = 4096;

/// A module's path, with /proc/self/exe resolved; null if the address is in no module.
const char* module_path(const Module& module, char (&room)[kPathBytes]) {
  if (module.path == nullptr || !text_equal(module.path, "/proc/self/exe")) return module.path;
  const long length = system_call(__NR_readlink, reinterpret_cast<long>(module.path), reinterpret_cast<long>(room),
                                  static_cast<long>(sizeof room - 1));
  if (length < 0) return module.path;
  room[length] = 0;
  return room;
}

/// Runs code that calls the C library, so that none of its accesses counts as the program's.
template <class Function>
void aside(Function function) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return function();
  const Busy busy(thread);
  function();
}

void describe(uptr place, Text& text) {
  char path[kPathBytes];
  const Module module = module_at(place);
  if (const char* const name = module_path(module, path)) {
    text << "(" << name << "+" << place - module.bias << ")";
  } else {
    text << "<can't symbolize>";
  }
}

}  // namespace

OMEN_WEAK_ABI int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, std::size_t room, void** offset) {
  int found = 0;
  aside([&] {
    char own[kPathBytes];
    const auto place = reinterpret_cast<uptr>(pc);
    const Module module = module_at(place);
    const char* const name = module_path(module, own);
    if (name == nullptr) return;
    if (path != nullptr) Text(path, room) << name;
    if (offset != nullptr) *offset = reinterpret_cast<void*>(place - module.bias);
    found = 1;
  });
  return found;
}

/// Returns one text and an empty one: inlined calls are not known here. Ignores the format, which asks for names and
/// lines.
OMEN_WEAK_ABI void __sanitizer_symbolize_pc(void* pc, const char*, char* out, std::size_t room) {
  if (room == 0) return;
  aside([&] {
    clear_bytes(out, room);
    Text text(out, room - 1);
    describe(reinterpret_cast<uptr>(pc), text);
  });
}

/// The variable's name, whatever the format.
OMEN_WEAK_ABI void __sanitizer_symbolize_global(void* data, const char*, char* out, std::size_t room) {
  if (room == 0) return;
  aside([&] {
    const auto address = reinterpret_cast<uptr>(data);
    const Module module = module_at(address);
    if (module.path == nullptr || variable_at(module, address, out, room).bytes == 0)
      Text(out, room) << "<can't symbolize>";
  });
}

OMEN_WEAK_ABI void __sanitizer_print_stack_trace() {
  const auto caller = reinterpret_cast<uptr>(__builtin_return_address(0));
  ThreadState* const thread = current_thread;
  aside([&] {
    uptr place = caller;
    u32 number = 0;
    const Frame* frame = thread == nullptr ? nullptr : thread->stack.top();
    for (;; --frame) {
      char line[kPathBytes + 64];
      Text text(line, sizeof line - 1);
      char digits[] = {static_cast<char>('0' + number / 100 % 10), static_cast<char>('0' + number / 10 % 10),
                       static_cast<char>('0' + number % 10), 0};
      text << "    #" << (number < 10 ? digits + 2 : number < 100 ? digits + 1 : digits) << " " << place << " ";
      describe(place, text);
      text << "\n";
      system_call(__NR_write, 2, reinterpret_cast<long>(line), static_cast<long>(text_length(line)));
      if (frame == nullptr || frame <= thread->stack.bottom() || ++number == 256) break;
      place = frame->pc;
    }
  });
}

/// 1 for the first thread that calls it.
OMEN_WEAK_ABI int __sanitizer_acquire_crash_state() {
  static std::atomic<int> taken{0};
  return taken.exchange(1, std::memory_order_acq_rel) == 0 ? 1 : 0;
}

OMEN_WEAK_ABI void __sanitizer_set_report_path(const char*) {}
OMEN_WEAK_ABI void __sanitizer_set_report_fd(void*) {}
OMEN_WEAK_ABI const char* __sanitizer_get_report_path() {
  return nullptr;
}
OMEN_WEAK_ABI void __sanitizer_report_error_summary(const char*) {}
OMEN_WEAK_ABI void __sanitizer_set_death_callback(void (*)()) {}
OMEN_WEAK_ABI void __sanitizer_sandbox_on_notify(void*) {}
