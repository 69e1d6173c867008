/// \file
/// A virtual machine's heap, announced with tsan_interface_java.h. Without a runtime that has these functions the calls
/// do nothing.
#pragma once

typedef unsigned long Word;

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void __tsan_java_init(Word begin, Word bytes);
__attribute__((weak)) int __tsan_java_fini(void);
__attribute__((weak)) void __tsan_java_alloc(Word block, Word bytes);
__attribute__((weak)) void __tsan_java_free(Word block, Word bytes);
__attribute__((weak)) void __tsan_java_move(Word from, Word to, Word bytes);
__attribute__((weak)) Word __tsan_java_find(Word* from, Word to);
__attribute__((weak)) void __tsan_java_finalize(void);
__attribute__((weak)) void __tsan_java_mutex_lock(Word lock);
__attribute__((weak)) void __tsan_java_mutex_unlock(Word lock);
__attribute__((weak)) void __tsan_java_mutex_lock_rec(Word lock, int times);
__attribute__((weak)) int __tsan_java_mutex_unlock_rec(Word lock);
__attribute__((weak)) void __tsan_java_acquire(Word object);
__attribute__((weak)) void __tsan_java_release_store(Word object);
#ifdef __cplusplus
}
#endif

/// Calls the function if the runtime has it.
#define TELL(function, ...)                           \
  do {                                                \
    if (__tsan_java_##function) __tsan_java_##function(__VA_ARGS__); \
  } while (0)

__attribute__((unused)) static char heap_memory[1 << 16] __attribute__((aligned(64)));
#define HEAP ((Word)heap_memory)
