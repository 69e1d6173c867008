// Order through a thread that is created by a thread, and is joined by a third.
// EXPECT: none
// OUTPUT: 6
#include <cstdio>
#include <thread>

int main() {
  int x = 1;
  std::thread grandchild;
  std::thread child([&] {
    x += 2;
    grandchild = std::thread([&] { x += 3; });
  });
  child.join();
  std::thread joiner([&] { grandchild.join(); });
  joiner.join();
  std::printf("%d\n", x);
}
