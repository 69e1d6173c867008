/* The callbacks of the instrumentation, for judge.py: each notes its event in a table. valgrind's lackey prints every access of the
   program, those to the table among them, so that its trace has accesses and events in one order. This file is not instrumented.
   At the end the table is written to the file that is the program's argument. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long u64;

/* Kinds: read, write, both; begin and end of a function under test; memory becomes shared, and is no more; a call of something that
   may synchronise. */
struct Event {
  u64 kind;
  u64 address;
  u64 bytes;
};
#define MOST 200000
static struct Event events[MOST];
static u64 count;

/* The C library's own: the linker gives the names themselves to what is below. */
void* __real_memcpy(void* to, const void* from, u64 bytes);
void* __real_memmove(void* to, const void* from, u64 bytes);
void* __real_memset(void* to, int value, u64 bytes);

__attribute__((noinline)) static void add(char kind, const volatile void* address, u64 bytes) {
  if (bytes == 0) return;
  if (count == MOST) abort();
  struct Event* event = &events[count++];
  event->address = (u64)address;
  event->bytes = bytes;
  event->kind = (u64)kind; /* last: its store marks the place in the trace */
  __asm__ volatile("" ::: "memory");
}

void judged_begin(u64 number) { add('B', (void*)number, 1); }
void judged_end(void) { add('E', 0, 1); }
void judged_share(const volatile void* p, u64 bytes) { add('S', p, bytes); }
void judged_unshare(const volatile void* p) { add('U', p, 1); }
void judged_call(void) { add('C', 0, 1); }
void judged_write(const char* path) {
  FILE* file = fopen(path, "w");
  if (file == NULL) abort();
  fprintf(file, "%lx\n", (u64)events);
  for (u64 i = 0; i < count; ++i) fprintf(file, "%c %lx %lx\n", (char)events[i].kind, events[i].address, events[i].bytes);
  if (fclose(file) != 0) abort();
}

#define ACCESSES(bytes)                                                          \
  void __tsan_read##bytes(void* p) { add('r', p, bytes); }                       \
  void __tsan_write##bytes(void* p) { add('w', p, bytes); }                      \
  void __tsan_read_write##bytes(void* p) { add('m', p, bytes); }                 \
  void __tsan_unaligned_read##bytes(void* p) { add('r', p, bytes); }             \
  void __tsan_unaligned_write##bytes(void* p) { add('w', p, bytes); }            \
  void __tsan_unaligned_read_write##bytes(void* p) { add('m', p, bytes); }       \
  void __tsan_volatile_read##bytes(void* p) { add('r', p, bytes); }              \
  void __tsan_volatile_write##bytes(void* p) { add('w', p, bytes); }             \
  void __tsan_unaligned_volatile_read##bytes(void* p) { add('r', p, bytes); }    \
  void __tsan_unaligned_volatile_write##bytes(void* p) { add('w', p, bytes); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* p, u64 bytes) { add('r', p, bytes); }
void __tsan_write_range(void* p, u64 bytes) { add('w', p, bytes); }
void __omen_read_range(void* p, u64 bytes) { add('r', p, bytes); }
void __omen_write_range(void* p, u64 bytes) { add('w', p, bytes); }
void __omen_read_update1(void* p) { add('m', p, 1); }
void __omen_read_update2(void* p) { add('m', p, 2); }
void __omen_read_update4(void* p) { add('m', p, 4); }
void __omen_read_update8(void* p) { add('m', p, 8); }
void __omen_read_write_range(void* p, u64 bytes) { add('m', p, bytes); }
static void add_mask(char kind, char* p, u64 mask) {
  for (int i = 0; i < 64; ++i) {
    if (mask >> i & 1) add(kind, p + i, 1);
  }
}
void __omen_read_bytes(void* p, u64 mask) { add_mask('r', p, mask); }
void __omen_write_bytes(void* p, u64 mask) { add_mask('w', p, mask); }
static void add_strided(char kind, char* p, u64 count, long stride, u64 mask) {
  for (u64 i = 0; i < count; ++i) add_mask(kind, p + (long)i * stride, mask);
}
void __omen_read_strided(void* p, u64 count, long stride, u64 mask) { add_strided('r', p, count, stride, mask); }
void __omen_write_strided(void* p, u64 count, long stride, u64 mask) { add_strided('w', p, count, stride, mask); }
void __omen_read_write_strided(void* p, u64 count, long stride, u64 mask) { add_strided('m', p, count, stride, mask); }
void __omen_prefetch(const void* p) { (void)p; }
void __tsan_vptr_read(void* p) { add('r', p, 8); }
void __tsan_vptr_update(void* p, void* value) {
  (void)value;
  add('w', p, 8);
}
void* __tsan_memcpy(void* to, const void* from, u64 bytes) {
  add('r', from, bytes);
  add('w', to, bytes);
  return __real_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, u64 bytes) {
  add('r', from, bytes);
  add('w', to, bytes);
  return __real_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, u64 bytes) {
  add('w', to, bytes);
  return __real_memset(to, value, bytes);
}

/* Calls of the C library: omen's runtime has functions of these names, which note what they access. */
void* __wrap_memcpy(void* to, const void* from, u64 bytes) { return __tsan_memcpy(to, from, bytes); }
void* __wrap_memmove(void* to, const void* from, u64 bytes) { return __tsan_memmove(to, from, bytes); }
void* __wrap_memset(void* to, int value, u64 bytes) { return __tsan_memset(to, value, bytes); }

#define ATOMICS(bits, type)                                                                \
  type __tsan_atomic##bits##_load(const volatile type* p, int order) {                     \
    (void)order;                                                                           \
    add('r', p, bits / 8);                                                                 \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                           \
  }                                                                                        \
  void __tsan_atomic##bits##_store(volatile type* p, type value, int order) {              \
    (void)order;                                                                           \
    add('m', p, bits / 8); /* an exchange, for the processor */                            \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                          \
  }                                                                                        \
  type __tsan_atomic##bits##_exchange(volatile type* p, type value, int order) {           \
    (void)order;                                                                           \
    add('m', p, bits / 8);                                                                 \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                \
  }                                                                                        \
  type __tsan_atomic##bits##_fetch_add(volatile type* p, type value, int order) {          \
    (void)order;                                                                           \
    add('m', p, bits / 8);                                                                 \
    return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);                                 \
  }                                                                                        \
  type __tsan_atomic##bits##_fetch_or(volatile type* p, type value, int order) {           \
    (void)order;                                                                           \
    add('m', p, bits / 8);                                                                 \
    return __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                        \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* expected, type value, int order, int other) { \
    (void)order, (void)other;                                                              \
    add('m', p, bits / 8);                                                                 \
    return __atomic_compare_exchange_n(p, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                        \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type expected, type value, int order, int other) { \
    __tsan_atomic##bits##_compare_exchange_strong(p, &expected, value, order, other);      \
    return expected;                                                                       \
  }
ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, u64)

void __tsan_init(void) {}
void __omen_runtime_is_missing_v2(void) {}
void __tsan_func_entry(void* pc) { (void)pc; }
void __tsan_func_exit(void) {}

/* What code that looks itself looks at: nothing is known, so it calls. */
u64 __omen_lines[1ul << 21];
__thread u64 __omen_now = ~0ul;
static struct {
  u64 words[8];
} nobody;
static void* nobodys_stack[2] = {&nobody, &nobody};
__thread void* __omen_stack = nobodys_stack;

// Where omen-cc's code leaves for code without instrumentation (docs/capture.md): nothing happens there.
#define THUNK(reg) \
  ".globl __x86_indirect_thunk_" reg "\n__x86_indirect_thunk_" reg ":\n  jmp *%" reg "\n"
__asm__(".text\n" THUNK("rax") THUNK("rbx") THUNK("rcx") THUNK("rdx") THUNK("rsi") THUNK("rdi") THUNK("rbp") THUNK("r8")
            THUNK("r9") THUNK("r10") THUNK("r11") THUNK("r12") THUNK("r13") THUNK("r14") THUNK("r15")
                ".weak __omen_leave\n__omen_leave:\n  ret\n");
