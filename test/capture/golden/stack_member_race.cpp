// Members of a structure on a thread's stack are changed by another, which has its address.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

struct Pair {
  int first = 0;
  int second = 0;
};

static void worker(Pair* pair) {
  pair->second = 1;  // A
  reach(1);
}

int main() {
  Pair pair;
  std::thread t(worker, &pair);
  await(1);
  use(pair.second);  // B
  t.join();
}
