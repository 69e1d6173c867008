/// \file
/// What the runtime tells `omen run --online`: a text file of lines, one write for each message (docs/formats.md, "The
/// online log").
#pragma once

#include "capture/runtime/platform.hpp"
#include "capture/runtime/stack_table.hpp"

namespace omen::rt::online {

class OnlineLog {
 public:
  /// `folder` outlives the log. In a forked child it is opened again.
  bool open(const char* analysis, const char* folder, u32 parent);
  bool is_open() const { return file_ >= 0; }

  /// A message is made of lines under the log's lock and written at its end.
  void begin() { lock_.lock(); }
  void end();
  OnlineLog& operator<<(const char* text);
  OnlineLog& operator<<(u64 number);
  OnlineLog& hexadecimal(u64 number);
  /// The rest of a line: line ends and backslashes are escaped.
  OnlineLog& escaped(const char* text);
  /// ` : ` and the places of a stack, innermost first; `?` where it is not known.
  OnlineLog& stack(const uptr* places, std::size_t count);
  OnlineLog& stack_at(Place where);

  /// One more race: its number, shared by all processes.
  u64 take_race_number();
  /// With halt_on_error: waits for the verdict; does not return if it is to halt.
  void await_verdict(u64 race);
  void set_halt(bool halt, int code) {
    halt_ = halt;
    exit_code_ = code;
  }
  void reset_lock() { lock_.reset(); }

 private:
  struct Control {
    std::atomic<u64> races;
    u64 unused[127];
    std::atomic<u64> judged[256];
  };
  void flush();
  bool open_file();
  bool still_open() const;

  SpinLock lock_;
  const char* folder_ = nullptr;
  int file_ = -1;
  u64 device_ = 0;  ///< of the file, and which it is there
  u64 inode_ = 0;
  bool failed_ = false;  ///< a message could not be written
  Control* control_ = nullptr;
  bool halt_ = false;
  int exit_code_ = 66;
  std::size_t used_ = 0;
  char text_[32U << 10] = {};
};

/// The value of a number among OMEN_OPTIONS, TSAN_OPTIONS for the shared names; `otherwise` if it is not there.
u64 number_option(const char* name, u64 otherwise);

}  // namespace omen::rt::online
