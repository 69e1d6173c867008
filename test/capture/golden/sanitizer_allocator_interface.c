// A program queries its heap: the answers are the allocator's own, also after blocks were moved and freed.
// EXPECT: none
// OUTPUT: done
// PEER: skip it says that it owns places inside a block, where its interface says: blocks
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) size_t __sanitizer_get_estimated_allocated_size(size_t);
__attribute__((weak)) int __sanitizer_get_ownership(const volatile void*);
__attribute__((weak)) const void* __sanitizer_get_allocated_begin(const void*);
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void*);
__attribute__((weak)) size_t __sanitizer_get_allocated_size_fast(const volatile void*);
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);
__attribute__((weak)) size_t __sanitizer_get_heap_size(void);
__attribute__((weak)) size_t __sanitizer_get_free_bytes(void);
__attribute__((weak)) size_t __sanitizer_get_unmapped_bytes(void);
__attribute__((weak)) void __sanitizer_purge_allocator(void);

static int owned(const char* block, size_t bytes) {
  return __sanitizer_get_ownership(block) && !__sanitizer_get_ownership(block + 1) &&
         !__sanitizer_get_ownership(block + 16) && __sanitizer_get_allocated_begin(block) == block &&
         __sanitizer_get_allocated_begin(block + bytes - 1) == block &&
         __sanitizer_get_allocated_size(block) >= bytes && __sanitizer_get_allocated_size_fast(block) >= bytes;
}
static int foreign(const void* place) {
  return !__sanitizer_get_ownership(place) && !__sanitizer_get_allocated_begin(place) &&
         __sanitizer_get_allocated_size(place) == 0;
}

static void* work(void* failed) {
  for (size_t bytes = 1; bytes < 100000; bytes = bytes * 3 + 1) {
    char* block = malloc(bytes);
    if (!owned(block, bytes)) *(int*)failed = 1;
    block = realloc(block, bytes * 2);
    if (!owned(block, bytes * 2)) *(int*)failed = 2;
    char* volatile gone = block;
    free(block);
    if (!foreign(gone)) *(int*)failed = 3;
  }
  return failed;
}

static int global;

int main(void) {
  if (__sanitizer_get_ownership) {
    int local = 0, first = 0, second = 0;
    pthread_t a, b;
    pthread_create(&a, 0, work, &first);
    pthread_create(&b, 0, work, &second);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (first || second) printf("failed: %d %d\n", first, second);
    if (!foreign(0) || !foreign(&global) || !foreign(&local) || !foreign((void*)-1)) puts("not the heap's");
    const size_t before = __sanitizer_get_current_allocated_bytes();
    char* large = malloc(64 << 20);
    void* aligned = 0;
    if (posix_memalign(&aligned, 4096, 5000) || !owned(aligned, 5000)) puts("aligned");
    if (!owned(large, 64 << 20) || __sanitizer_get_allocated_begin(large + (40 << 20)) != large) puts("large");
    if (__sanitizer_get_current_allocated_bytes() < before + (64 << 20)) puts("allocated bytes");
    if (__sanitizer_get_heap_size() < (64 << 20)) puts("heap size");
    free(large);
    free(aligned);
    if (__sanitizer_get_current_allocated_bytes() >= before + (64 << 20)) puts("freed bytes");
    if (__sanitizer_get_estimated_allocated_size(10) != 10) puts("estimate");
    __sanitizer_get_free_bytes(), __sanitizer_get_unmapped_bytes(), __sanitizer_purge_allocator();
  }
  puts("done");
}
