// Copies and fills of known length by builtin functions, as in the C++ library's headers: compilers expand them inline.
// EXPECT: race A B
// EXPECT: race C D
// PEER: gcc misses the instrumentation has no check of copies that the compiler expands
#include <thread>

#include "invisible.h"

struct Names {
  char first[12];
  char second[40];
};

Names from, to, filled;

int main() {
  std::thread writer([] {
    __builtin_memcpy(to.first, from.first, 12);  // A
    __builtin_memset(filled.second, 1, 40);      // C
    reach(1);
  });
  await(1);
  __builtin_memcpy(to.first, from.second, 12);  // B
  __builtin_memset(filled.second, 2, 40);       // D
  writer.join();
}
