// The stack of a heap block begins in the function with the `new` expression, whichever library function it calls.
// EXPECT: race A B
// BLOCK: N
// RUN: one
// RUN: array
// RUN: nothrow
// RUN: aligned
// RUN: elements
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include "invisible.h"

struct alignas(128) Wide {
  long n;
};
static const char* how;

static bool is(const char* which) {
  return std::strcmp(how, which) == 0;
}
// One line, and no call of its own after it.
#define ALLOCATE(p)              \
  if (is("one"))                 \
    p = new long;                \
  else if (is("array"))          \
    p = new long[9];             \
  else if (is("nothrow"))        \
    p = new (std::nothrow) long; \
  else if (is("aligned"))        \
    p = &(new Wide)->n;          \
  else                           \
    p = std::allocator<long>().allocate(7);
__attribute__((noinline)) static long* make() {
  long* made = nullptr;
  ALLOCATE(made)  // N
  return made;
}

int main(int, char** arguments) {
  how = arguments[1];
  long* const shared = make();
  std::thread first([=] {
    *shared = 1;  // A
    reach(1);
  });
  std::thread second([=] {
    await(1);
    *shared = 2;  // B
  });
  first.join();
  second.join();
}
