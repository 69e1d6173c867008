/// \file
/// What calls of `operator new` lead to: the same function, with its caller's address noted. An exception that it
/// throws passes through; what is noted is then of no use, and the next allocation takes it away.
#include "capture/runtime/foreign/allocation_sites.hpp"

namespace omen::rt {
constinit __thread uptr allocation_site = 0;
}  // namespace omen::rt

// clang-format off
asm(R"(
  .text
  .macro omen_new name
  .p2align 4
  .globl omen_hook\name
  .hidden omen_hook\name
  .type omen_hook\name, @function
omen_hook\name:
  .cfi_startproc
  endbr64
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq 8(%rsp), %r11
  movq omen_allocation_site@gottpoff(%rip), %r10
  movq %r11, %fs:(%r10)
  call *omen_real\name(%rip)
  movq omen_allocation_site@gottpoff(%rip), %r10
  movq $0, %fs:(%r10)
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size omen_hook\name, .-omen_hook\name
  .endm
  omen_new _Znwm
  omen_new _Znam
  omen_new _ZnwmRKSt9nothrow_t
  omen_new _ZnamRKSt9nothrow_t
  omen_new _ZnwmSt11align_val_t
  omen_new _ZnamSt11align_val_t
  omen_new _ZnwmSt11align_val_tRKSt9nothrow_t
  omen_new _ZnamSt11align_val_tRKSt9nothrow_t
)");
// clang-format on

extern "C" {
#define OMEN_REAL_NEW(name) __attribute__((visibility("hidden"), used)) std::atomic<omen::rt::uptr> omen_real##name{0}
OMEN_REAL_NEW(_Znwm);
OMEN_REAL_NEW(_Znam);
OMEN_REAL_NEW(_ZnwmRKSt9nothrow_t);
OMEN_REAL_NEW(_ZnamRKSt9nothrow_t);
OMEN_REAL_NEW(_ZnwmSt11align_val_t);
OMEN_REAL_NEW(_ZnamSt11align_val_t);
OMEN_REAL_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t);
OMEN_REAL_NEW(_ZnamSt11align_val_tRKSt9nothrow_t);
#undef OMEN_REAL_NEW
}
