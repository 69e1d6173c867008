/* Enough of the runtime's symbols to link and run an instrumented program, for driver tests where the real one is not built. */
#include <stddef.h>
#include <string.h>

#define ACCESS(name) \
  void __tsan_##name(void* p) { (void)p; }
#define SIZES(name) ACCESS(name##1) ACCESS(name##2) ACCESS(name##4) ACCESS(name##8) ACCESS(name##16)
SIZES(read)
SIZES(write)
SIZES(unaligned_read)
SIZES(unaligned_write)
SIZES(read_write)

void __tsan_init(void) {}
void __tsan_func_entry(void* pc) { (void)pc; }
void __tsan_func_exit(void) {}
void __tsan_read_range(void* p, size_t n) { (void)p, (void)n; }
void __tsan_write_range(void* p, size_t n) { (void)p, (void)n; }
void __omen_read_bytes(void* p, unsigned long mask) { (void)p, (void)mask; }
void __omen_write_bytes(void* p, unsigned long mask) { (void)p, (void)mask; }
void __omen_read_range(void* p, unsigned long n) { (void)p, (void)n; }
void __omen_write_range(void* p, unsigned long n) { (void)p, (void)n; }
void __omen_read_write_range(void* p, unsigned long n) { (void)p, (void)n; }
void __omen_prefetch(const void* p) { (void)p; }
void __tsan_vptr_read(void* p) { (void)p; }
void __tsan_vptr_update(void* p, void* v) { (void)p, (void)v; }
void* __tsan_memcpy(void* to, const void* from, size_t n) { return memcpy(to, from, n); }
void* __tsan_memmove(void* to, const void* from, size_t n) { return memmove(to, from, n); }
void* __tsan_memset(void* to, int c, size_t n) { return memset(to, c, n); }

void __tsan_atomic_thread_fence(int order) { (void)order, __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) { (void)order; }
#define ATOMIC(bits, type)                                                                                     \
  type __tsan_atomic##bits##_load(const type* p, int order) {                                                 \
    (void)order;                                                                                              \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                           \
  void __tsan_atomic##bits##_store(type* p, type v, int order) {                                              \
    (void)order;                                                                                              \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                 \
  }                                                                                                           \
  type __tsan_atomic##bits##_fetch_add(type* p, type v, int order) {                                          \
    (void)order;                                                                                              \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                           \
  type __tsan_atomic##bits##_fetch_sub(type* p, type v, int order) {                                          \
    (void)order;                                                                                              \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                           \
  int __tsan_atomic##bits##_compare_exchange_strong(type* p, type* expected, type v, int order, int other) { \
    (void)order, (void)other;                                                                                 \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
  }
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)
