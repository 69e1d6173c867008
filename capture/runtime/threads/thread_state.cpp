/// \file
/// The variables of the machine's thread: which thread of the program runs on it, and what the fast paths need of that.
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

__thread ThreadState* current_thread __attribute__((tls_model("initial-exec"))) = nullptr;
namespace {
constinit Frame nobody{};  // whose place in the stack, 0, is nobody's caller's
}
constinit StackTop nobodys_stack{&nobody, &nobody};
__thread StackTop* current_stack __attribute__((tls_model("initial-exec"))) = &nobodys_stack;
__thread u64 current_cell_now __attribute__((tls_model("initial-exec"))) = ThreadState::kNever;
__thread uptr* current_thread_reads __attribute__((tls_model("initial-exec"))) = nullptr;
__thread u32 current_transparent __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace omen::rt
