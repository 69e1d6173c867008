/// \file
/// Signals that ask omen to come to an end: INT, QUIT, TERM and HUP.
///
/// While a program runs under omen they are for the program: a terminal sends INT and QUIT to both; TERM and HUP are
/// passed on. Afterwards a signal asks omen to report what it knows so far, where that is possible (`ObeysStop`), and
/// otherwise ends it, without leaving its folder behind. Senders often signal twice, omen and then its process group
/// (`timeout` does): a signal that comes soon after another one is the same request.
#pragma once

#include <csignal>
#include <string>

namespace omen::cli {

/// From now on the handlers are ours. `folder`, which has no folders in it, is removed if a signal ends omen.
void take_end_signals(const std::string& folder);
void give_back_end_signals();

/// For whom the signals are; 0: for omen.
void set_running_program(int pid);

/// While it lives the signals wait: for a program to be started.
class EndSignalsWait {
 public:
  EndSignalsWait();
  ~EndSignalsWait();
  EndSignalsWait(const EndSignalsWait&) = delete;
  EndSignalsWait& operator=(const EndSignalsWait&) = delete;

  /// In the child, before the program starts: what was ignored stays so, our handlers are not for it.
  void undo_in_child() const;

 private:
  sigset_t mask_;
};

/// While it lives a signal does not end omen: `stop_requested` says that one came. A second one, a second or more after
/// the first, ends omen all the same.
class ObeysStop {
 public:
  ObeysStop();
  ~ObeysStop();
  ObeysStop(const ObeysStop&) = delete;
  ObeysStop& operator=(const ObeysStop&) = delete;
};

bool stop_requested();

}  // namespace omen::cli
