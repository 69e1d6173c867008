// Double-checked locking with a plain pointer.
// EXPECT: race A B
// EXPECT: race C D
#include <mutex>
#include <thread>
#include "invisible.h"

int storage;
int* instance;
static std::mutex m;

int main() {
  std::thread t([] {
    std::lock_guard lock(m);
    int* const p = &storage;
    *p = 5;        // C
    instance = p;  // A
    reach(1);
  });
  await(1);
  int* p = instance;  // B
  use(*p);            // D
  t.join();
}
