// One side of the race is in a shared library that is loaded at run time.
// LIBRARY: -DLIBRARY
// RUN: %lib
// EXPECT: race A B
#ifdef LIBRARY
extern "C" void write_it(int* p) {
  *p = 1;  // A
}
#else
#include <dlfcn.h>

#include <thread>
#include "invisible.h"

int main(int, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 1;
  auto* write_it = reinterpret_cast<void (*)(int*)>(dlsym(library, "write_it"));
  int x = 0;
  std::thread t([&] {
    write_it(&x);
    reach(1);
  });
  await(1);
  use(x);  // B
  t.join();
}
#endif
