// Two flags, sequentially consistent: at most one of the threads goes in.
// EXPECT: none
#include <atomic>
#include <thread>
#include <vector>

static std::atomic<int> flag[2];
static int data;

int main() {
  for (int round = 0; round < 20; ++round) {
    flag[0] = 0;
    flag[1] = 0;
    auto work = [](int me) {
      flag[me].store(1);
      if (flag[1 - me].load() == 0) ++data;
    };
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
  }
}
