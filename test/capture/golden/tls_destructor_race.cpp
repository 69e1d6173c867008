// A destructor of a thread_local object writes shared memory after the thread's function has returned.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

int total;

struct Part {
  ~Part() {
    total = value;  // A
    reach(1);
  }
  int value = 1;
};

static thread_local Part part;

int main() {
  std::thread t([] { part.value = 4; });
  await(1);
  use(total);  // B
  t.join();
}
