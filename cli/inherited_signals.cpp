#include "cli/inherited_signals.hpp"

#include <csignal>

namespace omen::cli {
namespace {

struct Inherited {
  int signal;
  void (*handler)(int);
};
Inherited inherited[] = {{SIGPIPE, SIG_DFL}, {SIGCHLD, SIG_DFL}};

}  // namespace

void take_default_signals() {
  for (Inherited& each : inherited) each.handler = std::signal(each.signal, SIG_DFL);
}

void restore_inherited_signals() {
  for (const Inherited& each : inherited) std::signal(each.signal, each.handler);
}

}  // namespace omen::cli
