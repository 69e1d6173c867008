// Peterson's lock with sequentially consistent atomics.
// EXPECT: none
// OUTPUT: 200
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<bool> wants[2];
static std::atomic<int> turn;
static int counter;

static void work(int me) {
  const int other = 1 - me;
  for (int i = 0; i < 100; ++i) {
    wants[me] = true;
    turn = other;
    while (wants[other] && turn == other) std::this_thread::yield();
    ++counter;
    wants[me] = false;
  }
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  std::printf("%d\n", counter);
}
