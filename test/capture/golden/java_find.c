// A virtual machine looks up its blocks, also after one has moved.
// EXPECT: none
#include "java_heap.h"

static int found(Word from, Word at, Word bytes) {
  if (!__tsan_java_find) return 1;
  Word where = from;
  const Word size = __tsan_java_find(&where, HEAP + sizeof heap_memory);
  return size == bytes && (bytes == 0 || where == at);
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  TELL(alloc, HEAP, 16);
  TELL(alloc, HEAP + 16, 32);
  TELL(alloc, HEAP + 48, 1024);
  if (!found(HEAP, HEAP, 16) || !found(HEAP + 8, HEAP + 16, 32) || !found(HEAP + 24, HEAP + 48, 1024)) return 1;
  TELL(move, HEAP + 16, HEAP + 4096, 32);
  if (!found(HEAP + 8, HEAP + 48, 1024) || !found(HEAP + 56, HEAP + 4096, 32)) return 2;
  TELL(free, HEAP + 4096, 32);
  if (!found(HEAP + 56, 0, 0)) return 3;
}
