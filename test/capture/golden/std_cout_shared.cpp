// Several threads write to std::cout and to stdout at once: allowed, whatever the order of the characters.
// EXPECT: none
// OUTPUT: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
#include <cstdio>
#include <iostream>
#include <thread>

int main() {
  auto work = [] {
    for (int i = 0; i < 10; ++i) {
      std::cout << 'x' << std::flush;
      std::fputc('x', stdout);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::cout << std::endl;
}
