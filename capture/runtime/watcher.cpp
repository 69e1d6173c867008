#include "capture/runtime/watcher.hpp"

#include <asm/unistd.h>
#include <link.h>
#include <sys/auxv.h>

#include "capture/abi/tool_note.hpp"
#include "capture/runtime/detector/message_log.hpp"

namespace omen::rt {
namespace {

constexpr long kCloseOnExec = 0x80000;   // O_CLOEXEC
constexpr long kDuplicate = 0;           // F_DUPFD
constexpr long kDuplicateClosed = 1030;  // F_DUPFD_CLOEXEC
constexpr long kHighDescriptor = 900;    // beyond the descriptors that programs usually use
constexpr long kAllChildren =
    0x40000000;  // __WALL: the child sends no signal at its end, so ordinary waits do not see it
constexpr int kExitInput = 65;
constexpr int kNotFound = 127;

char recorded[4096];  // path of omen when the program was linked
char answer[3200];    // PROCESS ANALYSIS:FOLDER

/// Reads the note of omen-cc in the first module, which is the program itself.
int read_note(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const uptr end = info->dlpi_addr + header.p_vaddr + header.p_memsz;
    for (uptr at = end - header.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* const name = reinterpret_cast<const char*>(note + 1);
      const char* const content = name + ((note->n_namesz + 3U) & ~3U);
      if (note->n_type == kToolNote && note->n_namesz == sizeof kNoteOwner && text_equal(name, kNoteOwner) &&
          note->n_descsz <= sizeof recorded) {
        copy_bytes(recorded, content, note->n_descsz);
        recorded[sizeof recorded - 1] = 0;
      }
      at = reinterpret_cast<uptr>(content) + ((note->n_descsz + 3U) & ~3U);
    }
  }
  return 1;
}

void become(const char* path, const char* const* arguments, const char* const* variables) {
  system_call(__NR_execve, reinterpret_cast<long>(path), reinterpret_cast<long>(arguments),
              reinterpret_cast<long>(variables));
}

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kPreloadForProgram[] = "OMEN_LD_PRELOAD=";  // read by cli/record.cpp

/// The variable `LD_PRELOAD=…` under the other name; null if there is no memory.
const char* renamed_preload(const char* variable) {
  const char* const value = variable + sizeof kPreload - 1;
  const std::size_t length = text_length(value);
  auto* const text = static_cast<char*>(map_memory(sizeof kPreloadForProgram + length));
  if (text == nullptr) return nullptr;
  copy_bytes(text, kPreloadForProgram, sizeof kPreloadForProgram - 1);
  copy_bytes(text + sizeof kPreloadForProgram - 1, value, length + 1);
  return text;
}

/// What becomes of LD_PRELOAD: the library is for the program, and may need this runtime.
enum class Preload : u8 { LeftOut, PassedOn };

/// Returns only if no omen is found: at OMEN_TOOL, or else at its path when the program was linked, or in a folder of
/// PATH.
void become_omen(const char* const* arguments, Preload preload = Preload::LeftOut) {
  char** const all = environment_variables();
  std::size_t count = 0;
  while (all != nullptr && all[count] != nullptr) ++count;
  auto* const variables = static_cast<const char**>(map_memory((count + 1) * sizeof(char*)));
  if (variables == nullptr) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char* variable = all[i];
    if (text_starts(variable, kPreload)) {
      variable = preload == Preload::PassedOn ? renamed_preload(variable) : nullptr;
    }
    if (variable != nullptr) variables[kept++] = variable;
  }
  if (const char* const tool = environment("OMEN_TOOL"); tool != nullptr && *tool != 0) {
    return become(tool, arguments, variables);
  }
  if (recorded[0] != 0) become(recorded, arguments, variables);
  char path[4096];
  for (const char* folder = environment("PATH"); folder != nullptr && *folder != 0;) {
    std::size_t length = 0;
    while (folder[length] != 0 && folder[length] != ':') ++length;
    if (length != 0 && length + sizeof "/omen" <= sizeof path) {
      copy_bytes(path, folder, length);
      copy_bytes(path + length, "/omen", sizeof "/omen");
      become(path, arguments, variables);
    }
    folder += length + (folder[length] == ':');
  }
}

/// Starts a child that becomes omen with these arguments, invisible to the program's waits.
long start_omen(const char* const* arguments) {
  recorded[0] = 0;
  dl_iterate_phdr(read_note, nullptr);
  const long child = system_call(__NR_clone);  // a fork without a termination signal
  if (child == 0) {
    become_omen(arguments);
    system_call(__NR_exit_group, kNotFound);
  }
  return child;
}

int wait_for(long child) {
  int status = 0;
  constexpr long kInterrupted = -4;  // -EINTR
  while (system_call(__NR_wait4, child, reinterpret_cast<long>(&status), kAllChildren) == kInterrupted) {
  }
  return status;
}

void say_not_found() {
  Message() << "there is no omen to watch this program as OMEN_OPTIONS asks: expected it "
            << (recorded[0] != 0 ? "at " : "in a folder of PATH") << recorded
            << (recorded[0] != 0 ? ", or in a folder of PATH" : "") << ", or where OMEN_TOOL says";
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

bool make_pipe(Pipe& pipe) {
  return system_call(__NR_pipe2, reinterpret_cast<long>(&pipe), kCloseOnExec) == 0;
}

/// A descriptor for omen, and its number as text.
struct Passed {
  explicit Passed(int descriptor) : number(system_call(__NR_fcntl, descriptor, kDuplicate, kHighDescriptor / 9)) {
    char* at = text + sizeof text - 1;
    long rest = number < 0 ? 0 : number;
    do {
      *--at = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    digits = at;
  }
  ~Passed() { system_call(__NR_close, number); }
  Passed(const Passed&) = delete;
  Passed& operator=(const Passed&) = delete;

  long number;
  char text[16] = {};
  const char* digits;
};

/// Reads one line; false if it does not arrive.
bool read_answer(int descriptor) {
  std::size_t used = 0;
  while (used + 1 < sizeof answer) {
    const long got = system_call(__NR_read, descriptor, reinterpret_cast<long>(answer + used),
                                 static_cast<long>(sizeof answer - used - 1));
    if (got == -4 /* interrupted */) continue;
    if (got <= 0) return false;
    used += static_cast<std::size_t>(got);
    if (answer[used - 1] == '\n') {
      answer[used - 1] = 0;
      return true;
    }
  }
  return false;
}

[[noreturn]] void give_up() {
  for (;;) system_call(__NR_exit_group, kExitInput);
}

}  // namespace

bool wants_watcher() {
  // omen rejects unknown modes, with its own message.
  return detect::option_is_there("mode") && !detect::option_is("mode", "off") && getauxval(AT_SECURE) == 0;
}

Watcher start_watcher() {
  Pipe told;   // omen answers with its folder
  Pipe lives;  // closed at the end of the last process that this one becomes or forks
  if (!make_pipe(told) || !make_pipe(lives)) {
    Message() << "there are no descriptors for the omen that is to watch this program";
    give_up();
  }
  long child = -1;
  {
    const Passed answers(told.write_end);
    const Passed ends(lives.read_end);
    const char* const arguments[] = {"omen", "watch", "--answer", answers.digits, "--lives", ends.digits, nullptr};
    child = start_omen(arguments);
  }
  system_call(__NR_close, told.write_end);
  system_call(__NR_close, lives.read_end);
  const bool ready = child > 0 && read_answer(told.read_end);
  const int status = child > 0 ? wait_for(child) : 0;
  system_call(__NR_close, told.read_end);
  if (!ready) {
    if (child < 0 || status == kNotFound << 8) say_not_found();
    give_up();
  }
  // Keeps the write end open at a high number, beyond the program's descriptors.
  if (system_call(__NR_fcntl, lives.write_end, kDuplicateClosed, kHighDescriptor) >= 0) {
    system_call(__NR_close, lives.write_end);
  }
  Watcher watcher{answer, 0};
  for (; *watcher.setting >= '0' && *watcher.setting <= '9'; ++watcher.setting) {
    watcher.process = watcher.process * 10 + static_cast<u32>(*watcher.setting - '0');
  }
  watcher.setting += *watcher.setting == ' ';
  return watcher;
}

void become_recorder(const char* const* arguments) {
  recorded[0] = 0;
  dl_iterate_phdr(read_note, nullptr);
  std::size_t count = 0;
  while (arguments != nullptr && arguments[count] != nullptr) ++count;
  const char* const before[] = {"omen", "record-alone", "--", reinterpret_cast<const char*>(getauxval(AT_EXECFN))};
  constexpr std::size_t kBefore = sizeof before / sizeof before[0];
  auto* const words = static_cast<const char**>(map_memory((kBefore + count + 1) * sizeof(char*)));
  if (words == nullptr || before[kBefore - 1] == nullptr) {
    Message() << "there is no memory to record this program with";
    give_up();
  }
  copy_bytes(words, before, sizeof before);
  for (std::size_t i = 1; i < count; ++i) words[kBefore + i - 1] = arguments[i];
  become_omen(words, Preload::PassedOn);
  say_not_found();
  give_up();
}

void print_options_help() {
  const char* const arguments[] = {"omen", "watch", "--options", nullptr};
  const long child = start_omen(arguments);
  if (child < 0 || wait_for(child) == kNotFound << 8) say_not_found();
}

}  // namespace omen::rt
