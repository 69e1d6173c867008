/// \file
/// Where instrumented code's indirect calls go: `__x86_indirect_thunk_REG`, the names that compilers have for such
/// thunks. A thunk jumps to the address in REG; first it tells the runtime if that is code without instrumentation and
/// the thread is in a critical section that is still transparent (docs/capture.md, "Leaving instrumented code").
///
/// Invariant: only r11, which a call may change, and the flags change. Unlike the kernel's thunks these are for calls
/// only, not for switches. The program exports them; a shared library gets its own, hidden ones (OMEN_OWN_THUNKS),
/// since a lazily bound call would change r11. Of a runtime that is a shared library itself (OMEN_SHARED_RUNTIME) other
/// libraries need `__omen_look` alone.
#if defined(OMEN_OWN_THUNKS) || defined(OMEN_SHARED_RUNTIME)
#define OMEN_THUNK_VISIBILITY ".hidden"
#define OMEN_IN_PROGRAM "0"
#else
#define OMEN_THUNK_VISIBILITY ".globl"
#define OMEN_IN_PROGRAM "1"  // where the thread's variables are is known
#endif

// clang-format off
asm(R"(
  .text
  .macro omen_thunk reg
  .p2align 4
  .globl __x86_indirect_thunk_\reg
  )" OMEN_THUNK_VISIBILITY R"( __x86_indirect_thunk_\reg
  .type __x86_indirect_thunk_\reg, @function
__x86_indirect_thunk_\reg:
  .cfi_startproc
  endbr64
  .if )" OMEN_IN_PROGRAM R"(
  cmpl $0, %fs:__omen_transparent@tpoff
  .else
  .ifc \reg, r11
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq __omen_transparent@gottpoff(%rip), %rax
  cmpl $0, %fs:(%rax)
  popq %rax
  .cfi_adjust_cfa_offset -8
  .else
  movq __omen_transparent@gottpoff(%rip), %r11
  cmpl $0, %fs:(%r11)
  .endif
  .endif
  jne 1f
  jmp *%\reg
1:
  .ifnc \reg, r11
  movq %\reg, %r11
  .endif
  jmp *__omen_look@GOTPCREL(%rip)
  .cfi_endproc
  .size __x86_indirect_thunk_\reg, .-__x86_indirect_thunk_\reg
  .endm
  .irp reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
  omen_thunk \reg
  .endr
)");

#ifndef OMEN_OWN_THUNKS
// The target is in r11. What is called here changes general registers only.
asm(R"(
  .text
  .p2align 4
  .globl __omen_look
  .type __omen_look, @function
__omen_look:
  .cfi_startproc
  cmpq omen_trusted_begin(%rip), %r11
  jb 2f
  cmpq omen_trusted_end(%rip), %r11
  jae 2f
  jmp *%r11
2:
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  .cfi_adjust_cfa_offset 72
  movq %r11, %rdi
  call omen_is_foreign
  testb %al, %al
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  .cfi_adjust_cfa_offset -72
  jne 1f
  jmp *%r11
1:
  call __omen_leave
  .globl omen_look_left
  .hidden omen_look_left
omen_look_left:
  jmp *%r11
  .cfi_endproc
  .size __omen_look, .-__omen_look
)");
#endif
// clang-format on
