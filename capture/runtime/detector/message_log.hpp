/// \file
/// What the runtime tells `omen run --online`: a text file of lines, one write for each message (docs/formats.md, "The
/// online log").
#pragma once

#include "capture/online_log/format.hpp"
#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/stacks/stack_table.hpp"

namespace omen::rt::detect {

class MessageLog {
 public:
  /// `folder` outlives the log. In a forked child it is opened again.
  bool open(const char* analysis, const char* folder, u32 parent);

  /// A message is made of lines under the log's lock and written at its end.
  void begin() { lock_.lock(); }
  void end();
  void counter(const char* name, u64 value);
  /// A whole message: the word and a text.
  void say(const char* word, const char* text);
  MessageLog& operator<<(const char* text);
  MessageLog& operator<<(u64 number);
  MessageLog& hexadecimal(u64 number);
  /// The rest of a line: line ends and backslashes are escaped.
  MessageLog& escaped(const char* text);
  /// ` : ` and the places of a stack, innermost first; `?` where it is not known.
  MessageLog& stack(const uptr* places, std::size_t count);
  MessageLog& stack_at(Place where);

  /// One more race: its number, shared by all processes.
  u64 take_race_number();
  /// Waits until omen has judged the race: is it reported? Does not return if the process is to end. Only with
  /// halt_on_error, or if somebody wants to know: otherwise false, at once.
  bool is_reported(u64 race);
  void set_wanted() { wanted_ = true; }
  /// Whoever judges is this process, not our parent: it wants to know of the end.
  void set_watcher(u32 process) { watcher_ = process; }
  bool has_watcher() const { return watcher_ != 0; }
  /// Waits until omen has told all that the process said before its end, which has this number: the code to end with
  /// in place of its own, or -1.
  int end_code(u64 number);
  void set_halt(bool halt, int code) {
    halt_ = halt;
    exit_code_ = code;
  }
  void reset_lock() { lock_.reset(); }

 private:
  void flush();
  bool open_file();
  bool still_open() const;
  /// False: nobody is there to judge.
  bool await_judgement(u64 number, online_log::Judgement& judgement) const;

  SpinLock lock_;
  const char* folder_ = nullptr;
  int file_ = -1;
  u64 device_ = 0;  ///< of the file, and which it is there
  u64 inode_ = 0;
  bool failed_ = false;  ///< a message could not be written
  online_log::ControlPage* control_ = nullptr;
  bool halt_ = false;
  bool wanted_ = false;
  u32 watcher_ = 0;
  int exit_code_ = 66;
  std::size_t used_ = 0;
  char text_[32U << 10] = {};
};

/// Is `name=` among OMEN_OPTIONS?
bool option_is_there(const char* name);

/// Is `name=value` among OMEN_OPTIONS, and the last of that name?
bool option_is(const char* name, const char* value);

/// The value of a number among OMEN_OPTIONS, TSAN_OPTIONS for the shared names; `otherwise` if it is not there.
u64 number_option(const char* name, u64 otherwise);

}  // namespace omen::rt::detect
