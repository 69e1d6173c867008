/* Every function that the compilers' ThreadSanitizer instrumentation and omen's check placement call, doing nothing: what a program costs with
   these is what no detector behind the same calls can get below. Atomics are done, since the program needs their
   results. No function of the C library is replaced. Linked in the place of omen's runtime. */
#include <stdint.h>
#include <string.h>

unsigned long __omen_lines[1 << 21]; /* nothing is known of any memory, so there are calls */
__thread unsigned long __omen_now;

/* The program keeps its call stack itself; what is called is only what gives a thread one, and where it is full. */
struct stack {
  char* top;
  char* last;
  char frames[1024][128];
};
static char nobody[128];
static struct stack no_stack = {nobody, nobody, {{0}}};
static __thread struct stack own_stack;
__thread struct stack* __omen_stack = &no_stack;

/* What a check does here: nothing, unless bench/placement/counting_callbacks.c says otherwise. */
#ifndef COUNTED_SINGLE
#define COUNTED_SINGLE
#define COUNTED_MASK
#define COUNTED_RANGE
#define COUNTED_STRIDED
#endif

#define EMPTY(name, ...) \
  void __tsan_##name(__VA_ARGS__) {}
#define CHECK(name, ...) \
  void __tsan_##name(__VA_ARGS__) { COUNTED_SINGLE; }

#define SIZE(bytes)                              \
  CHECK(read##bytes, void* p)                    \
  CHECK(write##bytes, void* p)                   \
  CHECK(read_write##bytes, void* p)              \
  CHECK(volatile_read##bytes, void* p)           \
  CHECK(volatile_write##bytes, void* p)          \
  CHECK(unaligned_read##bytes, void* p)          \
  CHECK(unaligned_write##bytes, void* p)         \
  CHECK(unaligned_read_write##bytes, void* p)    \
  CHECK(unaligned_volatile_read##bytes, void* p) \
  CHECK(unaligned_volatile_write##bytes, void* p)

SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
EMPTY(init, void)
void __tsan_func_entry(void* pc) {
  if (__omen_stack != &no_stack) return;
  own_stack.top = own_stack.frames[0];
  own_stack.last = own_stack.frames[1023];
  *(unsigned long*)(own_stack.top + 8) = ~0UL; /* below it is everything */
  __omen_stack = &own_stack;
}
EMPTY(func_exit, void)
EMPTY(ignore_thread_begin, void)
EMPTY(ignore_thread_end, void)
void __tsan_read_range(void* p, unsigned long bytes) { COUNTED_RANGE; }
void __tsan_write_range(void* p, unsigned long bytes) { COUNTED_RANGE; }
CHECK(vptr_update, void** place, void* value)
CHECK(vptr_read, void** place)
void __omen_runtime_is_missing_v2(void) {}
void __omen_read_bytes(void* base, unsigned long mask) { COUNTED_MASK; }
void __omen_write_bytes(void* base, unsigned long mask) { COUNTED_MASK; }
void __omen_read_range(void* p, unsigned long bytes) { COUNTED_RANGE; }
void __omen_write_range(void* p, unsigned long bytes) { COUNTED_RANGE; }
void __omen_read_write_range(void* p, unsigned long bytes) { COUNTED_RANGE; }
void __omen_read_strided(void* p, unsigned long count, long stride, unsigned long mask) { COUNTED_STRIDED; }
void __omen_write_strided(void* p, unsigned long count, long stride, unsigned long mask) { COUNTED_STRIDED; }
void __omen_read_write_strided(void* p, unsigned long count, long stride, unsigned long mask) { COUNTED_STRIDED; }
void __omen_read_update1(void* p) { COUNTED_SINGLE; }
void __omen_read_update2(void* p) { COUNTED_SINGLE; }
void __omen_read_update4(void* p) { COUNTED_SINGLE; }
void __omen_read_update8(void* p) { COUNTED_SINGLE; }
void __omen_prefetch(const void* p) {}

void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  return memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  return memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  return memset(to, value, bytes);
}

/* A store that need not be sequentially consistent is a plain move on x86-64; the others cost the same in
   any order. */
#define FETCH(bits, type, what)                                                  \
  type __tsan_atomic##bits##_fetch_##what(volatile type* p, type v, int order) { \
    return __atomic_fetch_##what(p, v, __ATOMIC_SEQ_CST);                        \
  }
#define ATOMIC(bits, type)                                                                                            \
  type __tsan_atomic##bits##_load(const volatile type* p, int order) {                                                \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                   \
  void __tsan_atomic##bits##_store(volatile type* p, type value, int order) {                                         \
    if (order == __ATOMIC_SEQ_CST)                                                                                    \
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                   \
    else                                                                                                              \
      __atomic_store_n(p, value, __ATOMIC_RELEASE);                                                                   \
  }                                                                                                                   \
  type __tsan_atomic##bits##_exchange(volatile type* p, type v, int order) {                                          \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                                   \
  FETCH(bits, type, add)\
  FETCH(bits, type, sub)\
  FETCH(bits, type, and)\
  FETCH(bits, type, or)\
  FETCH(bits, type, xor)\
  FETCH(bits, type, nand)\
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* expected, type v, int order,              \
                                                    int failure) {                                                    \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
  }                                                                                                                   \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* expected, type v, int order, int failure) { \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
  }                                                                                                                   \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type expected, type v, int order, int failure) {  \
    __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                              \
    return expected;                                                                                                  \
  }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
void __tsan_atomic_thread_fence(int order) {
  if (order == __ATOMIC_SEQ_CST) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) {}

/* Marks where control leaves instrumented code (docs/capture.md), and the thunks of indirect calls. */
asm(".text\n"
    ".globl __omen_leave\n"
    "__omen_leave: ret\n"
    ".macro empty_thunk reg\n"
    ".globl __x86_indirect_thunk_\\reg\n"
    "__x86_indirect_thunk_\\reg: jmp *%\\reg\n"
    ".endm\n"
    ".irp reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15\n"
    "empty_thunk \\reg\n"
    ".endr\n");
void __omen_incomplete(void) {}
