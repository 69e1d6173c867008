// A loaded library locks its own mutex, throws through the program, and is unloaded again.
// LIBRARY: -DLIBRARY
// RUN: %lib
// EXPECT: none
// OUTPUT: 200
#ifdef LIBRARY
#include <mutex>
static std::mutex m;
static int counter;
extern "C" int add() {
  std::lock_guard lock(m);
  if (++counter % 2 == 0) throw 7;
  return counter;
}
extern "C" int total() {
  return counter;
}
#else
#include <dlfcn.h>

#include <cstdio>
#include <thread>

int main(int, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 1;
  auto* add = reinterpret_cast<int (*)()>(dlsym(library, "add"));
  auto* total = reinterpret_cast<int (*)()>(dlsym(library, "total"));
  auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      try {
        add();
      } catch (int) {
      }
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", total());
  dlclose(library);
}
#endif
