/// \file
/// A stub for each function: `call omen_string_accesses; jmp *target`. For a function that uses a stream the target is
/// the stub that reports the departure. Functions that the runtime intercepts move and compare the bytes of longer
/// texts, and report these accesses. The stubs report the string's own pointer and length, and the bytes that the
/// function accesses one by one.
#include "capture/runtime/foreign/string_calls.hpp"

#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/foreign/stream_calls.hpp"
#include "capture/runtime/foreign/stubs.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt {
namespace {

/// The accesses of a function to its arguments, in pairs of characters: `h0`, it reads pointer and length of the string
/// in argument 0; `c0`, also its text; `w0`, it changes the string; `t1`, it reads as many bytes of argument 1 as
/// argument 2 says; `u1`, as many as argument 3 says; `s0`, it uses the stream in argument 0; `n0`, argument 0 says
/// whether the standard streams are synchronised.
struct Member {
  const char* name;  ///< the mangled name after the class
  const char* uses;
};

constexpr const char* kMutable = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
constexpr const char* kConstant = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

constexpr Member kMutableMembers[] = {
    {"9_M_createERmm", ""},
    {"10_M_disposeEv", "h0"},
    {"10_M_destroyEm", "h0"},
    {"D1Ev", "h0"},
    {"D2Ev", "h0"},
    {"13_M_local_dataEv", ""},
    {"12_Alloc_hiderC1EPcOS3_", "w0"},
    {"12_Alloc_hiderC2EPcOS3_", "w0"},
    {"12_Alloc_hiderC1EPcRKS3_", "w0"},
    {"12_Alloc_hiderC2EPcRKS3_", "w0"},
    {"7_M_dataEPc", "w0"},
    {"9_M_lengthEm", "w0"},
    {"11_M_capacityEm", "w0"},
    {"13_M_set_lengthEm", "w0"},
    {"12_M_constructEmc", "w0"},
    {"9_M_appendEPKcm", "w0t1"},
    {"9_M_assignERKS4_", "w0c1"},
    {"8_M_eraseEmm", "w0"},
    {"9_M_mutateEmmPKcm", "w0t3"},
    {"10_M_replaceEmmPKcm", "w0t3"},
    {"14_M_replace_auxEmmmc", "w0"},
    {"4swapERS4_", "w0w1"},
    {"5clearEv", "w0"},
    {"5eraseEmm", "w0"},
    {"6appendEPKc", "w0"},
    {"6appendEPKcm", "w0t1"},
    {"6appendERKS4_", "w0c1"},
    {"6appendERKS4_mm", "w0c1"},
    {"6appendEmc", "w0"},
    {"6assignEOS4_", "w0w1"},
    {"6assignEPKc", "w0"},
    {"6assignEPKcm", "w0t1"},
    {"6assignERKS4_", "w0c1"},
    {"6assignEmc", "w0"},
    {"6insertEmPKc", "w0"},
    {"6insertEmPKcm", "w0t2"},
    {"6insertEmRKS4_", "w0c2"},
    {"6insertEmmc", "w0"},
    {"6resizeEm", "w0"},
    {"6resizeEmc", "w0"},
    {"7reserveEm", "w0"},
    {"7reserveEv", "w0"},
    {"13shrink_to_fitEv", "w0"},
    {"7replaceEmmPKc", "w0"},
    {"7replaceEmmPKcm", "w0t3"},
    {"7replaceEmmRKS4_", "w0c3"},
    {"7replaceEmmmc", "w0"},
    {"8pop_backEv", "w0"},
    {"9push_backEc", "w0"},
    {"aSEOS4_", "w0w1"},
    {"aSEPKc", "w0"},
    {"aSERKS4_", "w0c1"},
    {"aSEc", "w0"},
    {"pLEPKc", "w0"},
    {"pLERKS4_", "w0c1"},
    {"pLEc", "w0"},
    {"C1Ev", "w0"},
    {"C2Ev", "w0"},
    {"C1EOS4_", "w0w1"},
    {"C2EOS4_", "w0w1"},
    {"C1ERKS3_", "w0"},
    {"C2ERKS3_", "w0"},
    {"C1ERKS4_", "w0c1"},
    {"C2ERKS4_", "w0c1"},
    {"C1EPKcRKS3_", "w0"},
    {"C2EPKcRKS3_", "w0"},
    {"C1EPKcmRKS3_", "w0t1"},
    {"C2EPKcmRKS3_", "w0t1"},
    {"C1EmcRKS3_", "w0"},
    {"C2EmcRKS3_", "w0"},
    {"2atEm", "h0"},
    {"ixEm", "h0"},
    {"3endEv", "h0"},
    {"4backEv", "h0"},
    {"4dataEv", "h0"},
    {"5beginEv", "h0"},
    {"5frontEv", "h0"},
};

constexpr Member kConstantMembers[] = {
    {"11_M_is_localEv", "h0"},
    {"13_M_local_dataEv", ""},
    {"13get_allocatorEv", ""},
    {"16_M_get_allocatorEv", ""},
    {"11_M_disjunctEPKc", "h0"},
    {"15_M_check_lengthEmmPKc", "h0"},
    {"8_M_checkEmPKc", "h0"},
    {"8_M_limitEmm", "h0"},
    {"7_M_dataEv", "h0"},
    {"2atEm", "h0"},
    {"ixEm", "h0"},
    {"3endEv", "h0"},
    {"4backEv", "h0"},
    {"4cendEv", "h0"},
    {"4dataEv", "h0"},
    {"4sizeEv", "h0"},
    {"5beginEv", "h0"},
    {"5c_strEv", "h0"},
    {"5emptyEv", "h0"},
    {"5frontEv", "h0"},
    {"6cbeginEv", "h0"},
    {"6lengthEv", "h0"},
    {"8capacityEv", "h0"},
    {"8max_sizeEv", ""},
    {"cvSt17basic_string_viewIcS2_EEv", "h0"},
    {"6substrEmm", "c1"},  // argument 0 points to the result
    {"4copyEPcmm", "c0"},
    {"7compareEPKc", "c0"},
    {"7compareERKS4_", "c0c1"},
    {"7compareEmmPKc", "c0"},
    {"7compareEmmPKcm", "c0t3"},
    {"7compareEmmRKS4_", "c0c3"},
    {"4findEPKcm", "c0"},
    {"4findEPKcmm", "c0u1"},
    {"4findERKS4_m", "c0c1"},
    {"4findEcm", "c0"},
    {"5rfindEPKcm", "c0"},
    {"5rfindEPKcmm", "c0u1"},
    {"5rfindERKS4_m", "c0c1"},
    {"5rfindEcm", "c0"},
    {"13find_first_ofEPKcm", "c0"},
    {"13find_first_ofEPKcmm", "c0u1"},
    {"13find_first_ofERKS4_m", "c0c1"},
    {"13find_first_ofEcm", "c0"},
    {"12find_last_ofEPKcm", "c0"},
    {"12find_last_ofEPKcmm", "c0u1"},
    {"12find_last_ofERKS4_m", "c0c1"},
    {"12find_last_ofEcm", "c0"},
    {"17find_first_not_ofEPKcm", "c0"},
    {"17find_first_not_ofEPKcmm", "c0u1"},
    {"17find_first_not_ofERKS4_m", "c0c1"},
    {"17find_first_not_ofEcm", "c0"},
    {"16find_last_not_ofEPKcm", "c0"},
    {"16find_last_not_ofEPKcmm", "c0u1"},
    {"16find_last_not_ofERKS4_m", "c0c1"},
    {"16find_last_not_ofEcm", "c0"},
};

const char* uses_of(const char* name) {
  const auto look = [&](const char* of, const auto& members) -> const char* {
    if (!text_starts(name, of)) return nullptr;
    for (const Member& member : members) {
      if (text_equal(name + text_length(of), member.name)) return member.uses;
    }
    return nullptr;
  };
  const char* const uses = look(kMutable, kMutableMembers);
  return uses != nullptr ? uses : look(kConstant, kConstantMembers);
}

constexpr u32 kCalls = 512;
constexpr u32 kCallBytes = 16;

struct alignas(kCallBytes) Call {
  uptr target;
  const char* uses;
};

/// The beginning of a string in the library's layout.
struct String {
  uptr text;
  u64 length;
};
constexpr u64 kLongest = u64{1} << 30;

}  // namespace
}  // namespace omen::rt

extern "C" {
extern __attribute__((visibility("hidden"))) const char omen_string_code[];
__attribute__((visibility("hidden"), used)) omen::rt::Call omen_string_targets[omen::rt::kCalls];

/// `place` is in the stub.
__attribute__((visibility("hidden"), used)) void omen_string_called(const omen::rt::uptr* arguments,
                                                                    omen::rt::uptr place, omen::rt::uptr pc) {
  using namespace omen::rt;
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return;
  const Call& call = omen_string_targets[(place - reinterpret_cast<uptr>(omen_string_code)) / kCallBytes];
  for (const char* use = call.uses; *use != 0; use += 2) {
    const u32 number = static_cast<u32>(use[1] - '0');
    const uptr argument = arguments[number];
    if (use[0] == 'n') synchronise_standard_streams((argument & 0xff) != 0);
    if (argument == 0 || use[0] == 'n') continue;
    if (use[0] == 's') {
      if (!is_shared_stream(argument)) recorder.range(thread, argument, sizeof(uptr), true, pc);
      continue;
    }
    if (use[0] == 't' || use[0] == 'u') {
      const u64 count = arguments[number + (use[0] == 't' ? 1 : 2)];
      if (count - 1 < kLongest) recorder.range(thread, argument, count, false, pc);
      continue;
    }
    recorder.range(thread, argument, sizeof(String), use[0] == 'w', pc);
    if (use[0] != 'c') continue;
    // If another thread changes it meanwhile, this is a race, and the values may be arbitrary.
    const auto* const string = reinterpret_cast<const String*>(argument);
    const uptr text = __atomic_load_n(&string->text, __ATOMIC_RELAXED);
    const u64 length = __atomic_load_n(&string->length, __ATOMIC_RELAXED);
    if (length - 1 < kLongest && text - 4096 < (uptr{1} << 47) - kLongest)
      recorder.range(thread, text, length, false, pc);
  }
}
}

// clang-format off
asm(R"(
  .text
  .p2align 4
  .globl omen_string_code
  .hidden omen_string_code
  .type omen_string_code, @function
omen_string_code:
  .cfi_startproc
  .rept 512
7:
  endbr64
  call 8f
  jmp *(omen_string_targets + (7b - omen_string_code))(%rip)
  .p2align 4
  .endr
  .cfi_endproc
  .size omen_string_code, .-omen_string_code

  # Arguments are in general registers, what they hold is looked at; and one, a number that a stream writes, in xmm0.
8:
  .cfi_startproc
  pushq %r9
  .cfi_adjust_cfa_offset 8
  pushq %r8
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  movq %rsp, %rdi
  movq 48(%rsp), %rsi
  movq 56(%rsp), %rdx
  subq $16, %rsp
  .cfi_adjust_cfa_offset 16
  movups %xmm0, (%rsp)
  call omen_string_called
  movups (%rsp), %xmm0
  addq $16, %rsp
  .cfi_adjust_cfa_offset -16
  popq %rdi
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
)");
// clang-format on

namespace omen::rt {
namespace {
SpinLock call_lock;
u32 call_count = 0;
}  // namespace

uptr string_call(const char* name, uptr target) {
  const char* uses = uses_of(name);
  if (uses == nullptr && (uses_stream(name) || sets_synchronisation(name))) {
    uses = uses_stream(name) ? "s0" : "n0";
    target = stub_to(target);
  }
  if (uses == nullptr || target == 0) return 0;
  const SpinGuard guard(call_lock);
  u32 number = 0;
  while (number < call_count && omen_string_targets[number].target != target) ++number;
  if (number == kCalls) return 0;
  if (number == call_count) {
    omen_string_targets[number] = {target, uses};
    ++call_count;
    hidden_state_counters.stubs.fetch_add(1, std::memory_order_relaxed);
  }
  return reinterpret_cast<uptr>(omen_string_code) + uptr{number} * kCallBytes;
}

}  // namespace omen::rt
