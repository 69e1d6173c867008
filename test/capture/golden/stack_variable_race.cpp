// A local variable of one thread is changed by another.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

static void worker(int* result) {
  *result = 1;  // A
  reach(1);
}

int main() {
  int result = 0;
  std::thread t(worker, &result);
  await(1);
  if (result == 1) use(result);  // B
  t.join();
}
