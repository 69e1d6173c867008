// The creator of a thread ends; that does not order the later events of its child.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

int x;

int main() {
  std::thread grandchild;
  std::thread child([&] {
    grandchild = std::thread([] {
      x = 1;  // A
      reach(1);
    });
  });
  child.join();
  await(1);
  x = 2;  // B
  grandchild.join();
}
