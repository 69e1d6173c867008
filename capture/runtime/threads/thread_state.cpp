/// \file
/// Thread-local variables: the thread of the program that runs on this system thread, and its fields that the fast
/// paths read.
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

__thread ThreadState* current_thread __attribute__((tls_model("initial-exec"))) = nullptr;
namespace {
constinit Frame nobody{};  // its stack position, 0, belongs to no caller
}
constinit StackTop nobodys_stack{&nobody, &nobody};
__thread StackTop* current_stack __attribute__((tls_model("initial-exec"))) = &nobodys_stack;
__thread u64 current_cell_now __attribute__((tls_model("initial-exec"))) = ThreadState::kNever;
__thread uptr* current_thread_reads __attribute__((tls_model("initial-exec"))) = nullptr;
__thread u32 current_transparent __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace omen::rt
