/// \file
/// The process's table.
#include "capture/runtime/threads/thread_table.hpp"

namespace omen::rt {

constinit ThreadTable thread_table;

}  // namespace omen::rt
