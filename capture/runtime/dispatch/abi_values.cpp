/// \file
/// Values (docs/native.md): the functions that code compiled with --omen-values calls in addition to `__tsan_*`. A
/// value follows the records of its instruction. Once a module with values is loaded, the recorder drops nothing: each
/// access of such code has its record.
#include "capture/abi/values.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;
using omen::abi::ValueKind;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))

namespace {

OMEN_INLINE void record(ValueKind kind, u64 value) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr || thread->watch != ThreadState::Watch::No)) return;
  recorder.value(thread, static_cast<u32>(kind), value);
}

}  // namespace

OMEN_ABI void __omen_value_result(u64 value) {
  record(ValueKind::Result, value);
}
OMEN_ABI void __omen_value_enter(u64 value) {
  record(ValueKind::Enter, value);
}
OMEN_ABI void __omen_value_argument(u64 value) {
  record(ValueKind::Argument, value);
}
OMEN_ABI void __omen_value_return(u64 value) {
  record(ValueKind::Return, value);
}
OMEN_ABI void __omen_value_more(u64 value) {
  record(ValueKind::More, value);
}
OMEN_ABI void __omen_value_landing(u64 value) {
  record(ValueKind::Landing, value);
}

OMEN_ABI void __omen_values_module(const u64* addresses, u64 count, u64 module) {
  recorder.record_everything();
  record(ValueKind::Module, module);
  for (u64 i = 0; i < count; ++i) record(ValueKind::Address, addresses[i]);
}
