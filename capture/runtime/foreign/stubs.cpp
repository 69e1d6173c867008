/// \file
/// `__omen_leave` and the stubs. No register of the caller changes, and none that carries arguments: whatever a
/// function may be called with, variable arguments and wide vectors among them, passes through.
#include "capture/runtime/foreign/stubs.hpp"

#include <cpuid.h>

#include "capture/runtime/foreign/hidden_state.hpp"

namespace omen::rt {
namespace {

constexpr u32 kStubs = 8192;
constexpr u32 kStubBytes = 16;

struct alignas(kStubBytes) Target {
  uptr address;
  uptr unused;  ///< targets are as far from each other as stubs, so that every stub is the same code
};

}  // namespace
}  // namespace omen::rt

extern "C" {
extern __attribute__((visibility("hidden"))) const char omen_stub_code[];
extern __attribute__((visibility("hidden")))
const char omen_syscall_code[] asm("omen_syscall");  ///< stands before them
__attribute__((visibility("hidden"), used)) std::atomic<omen::rt::uptr> omen_real_syscall{0};
__attribute__((visibility("hidden"), used)) omen::rt::Target omen_stub_targets[omen::rt::kStubs];
/// The vector registers that a call may pass something in, as the system's numbers of them: 4 for AVX, 0xe0 for
/// AVX-512. And 1: the processor tells which are in use.
__attribute__((visibility("hidden"), used)) omen::rt::u32 omen_vector_state = 0;
extern __attribute__((visibility("hidden"))) const char omen_look_left[];  // thunks.cpp
__attribute__((visibility("hidden"), used)) void omen_left(omen::rt::uptr place, omen::rt::uptr caller) {
  const bool on_the_way = omen::rt::is_stub(place) || place == reinterpret_cast<omen::rt::uptr>(omen_look_left) ||
                          omen::rt::is_linked_stub(place);
  omen::rt::reach_hidden_state(on_the_way ? caller : place);
}
}

#ifdef OMEN_SHARED_RUNTIME
#define OMEN_IN_PROGRAM "0"
#else
#define OMEN_IN_PROGRAM "1"  // where the thread's variables are is known
#endif

// clang-format off
asm(R"(
  .text
  .p2align 4
  .globl __omen_leave
  .type __omen_leave, @function
__omen_leave:
  .cfi_startproc
  .if )" OMEN_IN_PROGRAM R"(
  cmpl $0, %fs:__omen_transparent@tpoff
  .else
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq __omen_transparent@gottpoff(%rip), %rax
  cmpl $0, %fs:(%rax)
  popq %rax
  .cfi_adjust_cfa_offset -8
  .endif
  jne 1f
  ret
1:
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  pushq %rbx
  # What vector registers hold: as much of them as is in use.
  subq $2304, %rsp
  andq $-64, %rsp
  movl omen_vector_state(%rip), %ebx
  testl $1, %ebx
  jz 2f
  movl $1, %ecx
  xgetbv
  andl %eax, %ebx
2:
  testl $0xe0, %ebx
  jnz 4f
  testl $4, %ebx
  jnz 3f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  movups %xmm\n, 16*\n(%rsp)
  .endr
  call 9f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  movups 16*\n(%rsp), %xmm\n
  .endr
  jmp 6f
3:
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  vmovups %ymm\n, 32*\n(%rsp)
  .endr
  call 9f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  vmovups 32*\n(%rsp), %ymm\n
  .endr
  jmp 6f
4:
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  vmovups %zmm\n, 64*\n(%rsp)
  .endr
  .irp n, 0,1,2,3,4,5,6,7
  kmovq %k\n, 2048+8*\n(%rsp)
  .endr
  call 9f
  .irp n, 0,1,2,3,4,5,6,7
  kmovq 2048+8*\n(%rsp), %k\n
  .endr
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  vmovups 64*\n(%rsp), %zmm\n
  .endr
6:
  leaq -80(%rbp), %rsp
  popq %rbx
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  .cfi_def_cfa %rsp, 8
  ret
  # Once more with the stack aligned as C wants it: the return address of this call is in between.
9:
  .cfi_def_cfa %rbp, 16
  movq 8(%rbp), %rdi
  movq 16(%rbp), %rsi
  subq $8, %rsp
  call omen_left
  addq $8, %rsp
  ret
  .cfi_endproc
  .size __omen_leave, .-__omen_leave

  # What these ask the system for is seen, or keeps no state: sched_yield, nanosleep, getpid, gettid, time, futex,
  # clock_gettime, clock_nanosleep, getcpu, membarrier.
  .p2align 4
  .globl omen_syscall
  .hidden omen_syscall
  .type omen_syscall, @function
omen_syscall:
  .cfi_startproc
  endbr64
  cmpq $202, %rdi
  je 1f
  cmpq $24, %rdi
  je 1f
  cmpq $35, %rdi
  je 1f
  cmpq $39, %rdi
  je 1f
  cmpq $186, %rdi
  je 1f
  cmpq $201, %rdi
  je 1f
  cmpq $228, %rdi
  je 1f
  cmpq $230, %rdi
  je 1f
  cmpq $309, %rdi
  je 1f
  cmpq $324, %rdi
  je 1f
  call __omen_leave
1:
  jmp *omen_real_syscall(%rip)
  .cfi_endproc
  .size omen_syscall, .-omen_syscall

  .p2align 4
  .globl omen_stub_code
  .hidden omen_stub_code
  .type omen_stub_code, @function
omen_stub_code:
  .cfi_startproc
  .rept 8192
7:
  endbr64
  call 8f
  jmp *(omen_stub_targets + (7b - omen_stub_code))(%rip)
  .p2align 4
  .endr
  .cfi_endproc
  .size omen_stub_code, .-omen_stub_code
8:
  jmp __omen_leave
)");
// clang-format on

namespace omen::rt {
namespace {

SpinLock stub_lock;
u32 stub_count = 0;
/// Stubs by their targets: 1 + number. Open addressing; nothing is ever taken out.
constexpr u32 kPlaces = 4 * kStubs;
u16 stub_of_target[kPlaces];

}  // namespace

bool is_stub(uptr address) {
  const uptr end = reinterpret_cast<uptr>(omen_stub_code) + uptr{kStubs} * kStubBytes;
  const uptr begin = reinterpret_cast<uptr>(omen_syscall_code);
  return address - begin < end - begin;
}

uptr stub_to(uptr target) {
  const SpinGuard guard(stub_lock);
  u32 place = static_cast<u32>((target * 0x9E3779B97F4A7C15ULL) >> 40) % kPlaces;
  for (; stub_of_target[place] != 0; place = (place + 1) % kPlaces) {
    const u32 stub = stub_of_target[place] - 1U;
    if (omen_stub_targets[stub].address == target) {
      return reinterpret_cast<uptr>(omen_stub_code) + uptr{stub} * kStubBytes;
    }
  }
  if (stub_count == kStubs) return 0;
  const u32 stub = stub_count++;
  omen_stub_targets[stub].address = target;
  stub_of_target[place] = static_cast<u16>(stub + 1);
  hidden_state_counters.stubs.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<uptr>(omen_stub_code) + uptr{stub} * kStubBytes;
}

bool is_linked_stub(uptr place) {
  constexpr u32 kCallEnds = 10;
  const auto* const code = reinterpret_cast<const u8*>(place);
  return (place - kCallEnds) % kStubBytes == 0 && code[-10] == 0xf3 && code[-9] == 0x0f && code[-8] == 0x1e &&
         code[-7] == 0xfa && code[0] == 0xe9;
}

void prepare_leaving() {
  u32 a = 0;
  u32 b = 0;
  u32 c = 0;
  u32 d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return;
  u32 low = 0;
  u32 high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  u32 state = low & 4;
  // The masks of AVX-512 are wide in all but its first processors, whose functions of the C library do without them.
  const bool wide_masks = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX512BW) != 0;
  if ((low & 0xe0) == 0xe0 && wide_masks) state |= 0xe0;
  if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & 4) != 0) state |= 1;
  omen_vector_state = state;
}

}  // namespace omen::rt
