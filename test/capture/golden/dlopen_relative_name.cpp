// A race inside a library that was opened by a name that begins in the current folder, which the program leaves then.
// LIBRARY: -DLIBRARY
// RUN: %lib
// EXPECT: race A B
#ifdef LIBRARY
int shared;
extern "C" void first() {
  shared = 1;  // A
}
extern "C" void second() {
  shared = 2;  // B
}
#else
#include <dlfcn.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "invisible.h"

int main(int, char** arguments) {
  const std::string path = arguments[1];
  const std::size_t slash = path.rfind('/');
  if (chdir(path.substr(0, slash).c_str()) != 0) return 1;
  void* library = dlopen(("./" + path.substr(slash + 1)).c_str(), RTLD_NOW);
  if (library == nullptr || chdir("/") != 0) return 1;
  auto* first = reinterpret_cast<void (*)()>(dlsym(library, "first"));
  auto* second = reinterpret_cast<void (*)()>(dlsym(library, "second"));
  std::thread thread([&] {
    first();
    reach(1);
  });
  await(1);
  second();
  thread.join();
}
#endif
