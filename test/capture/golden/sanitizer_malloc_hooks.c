// A program installs hooks for every block, in both possible ways, and keeps one block from being freed.
// EXPECT: none
// OUTPUT: kept 1
// PEER: skip a block whose end a hook refuses is freed memory to it when it is reallocated
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                                    void (*)(const volatile void*));

static const volatile void* kept;
static atomic_int begun, ended, begun_too, ended_too;

void __sanitizer_malloc_hook(const volatile void* block, size_t bytes) {
  if (bytes == 12345) ++begun;
  (void)block;
}
void __sanitizer_free_hook(const volatile void* block) {
  (void)block;
  ++ended;
}
int __sanitizer_ignore_free_hook(const volatile void* block) {
  return block && block == kept;
}

static void begin_too(const volatile void* block, size_t bytes) {
  if (bytes == 12345) ++begun_too;
  (void)block;
}
static void end_too(const volatile void* block) {
  (void)block;
  ++ended_too;
}

static void* work(void* unused) {
  for (int i = 0; i < 100; ++i) {
    void* volatile block = malloc(12345);
    free(block);
  }
  return unused;
}

int main(void) {
  char* volatile block = malloc(100);
  if (__sanitizer_install_malloc_and_free_hooks) {
    for (int i = 1; i <= 5; ++i) {
      if (__sanitizer_install_malloc_and_free_hooks(begin_too, end_too) != i) puts("installed");
    }
    if (__sanitizer_install_malloc_and_free_hooks(begin_too, end_too) != 0) puts("too many");
    const int ended_before = ended, ended_too_before = ended_too;
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (begun != 200 || begun_too != 1000) printf("allocated: %d %d\n", begun, begun_too);
    if (ended - ended_before < 200 || ended_too - ended_too_before < 1000) puts("freed");
    kept = block;
    block[0] = 7;
    free(block);
    char* volatile other = realloc(block, 200);
    if (other == block || other[0] != 7) puts("reallocated");
    free(other);
    kept = 0;
  }
  block[0] = 1;
  printf("kept %d\n", block[0]);
  free(block);
}
