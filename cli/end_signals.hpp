/// \file
/// The signals that ask omen to end: INT, QUIT, TERM and HUP.
///
/// While a program runs under omen, the signals are for the program: a terminal sends INT and QUIT to both; omen
/// forwards TERM and HUP. Afterwards a signal asks omen to report what it knows so far, where that is possible
/// (`ObeysStop`); elsewhere it ends omen, whose folder is removed first. Senders often signal twice, first omen and
/// then its process group (`timeout` does): a signal within a second of another is the same request.
#pragma once

#include <csignal>
#include <string>

namespace omen::cli {

/// Installs the handlers. `folder`, which has no subfolders, is removed if a signal ends omen.
void take_end_signals(const std::string& folder);
void give_back_end_signals();

/// The process that the signals are for; 0: omen.
void set_running_program(int pid);

/// Blocks the signals while it exists, during which a program is started.
class EndSignalsWait {
 public:
  EndSignalsWait();
  ~EndSignalsWait();
  EndSignalsWait(const EndSignalsWait&) = delete;
  EndSignalsWait& operator=(const EndSignalsWait&) = delete;

  /// In the child, before the program starts: signals that were ignored stay ignored; the handlers are removed.
  void undo_in_child() const;

 private:
  sigset_t mask_;
};

/// While it exists a signal does not end omen; `stop_requested` tells that one came. A second signal, a second or more
/// after the first, ends omen.
class ObeysStop {
 public:
  ObeysStop();
  ~ObeysStop();
  ObeysStop(const ObeysStop&) = delete;
  ObeysStop& operator=(const ObeysStop&) = delete;
};

bool stop_requested();

}  // namespace omen::cli
