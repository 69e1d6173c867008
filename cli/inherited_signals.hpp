/// \file
/// SIGPIPE and SIGCHLD, which omen's parent may ignore. omen needs the default of both: it ends quietly when the reader
/// of its output has gone, and it waits for its children. The program that omen runs gets what the parent had set.
#pragma once

namespace omen::cli {

/// At omen's start.
void take_default_signals();
/// In a child, before the program is executed.
void restore_inherited_signals();

}  // namespace omen::cli
