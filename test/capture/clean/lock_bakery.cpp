// Lamport's bakery: mutual exclusion from sequentially consistent loads and stores alone.
// EXPECT: none
// OUTPUT: 600
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<bool> choosing[3];
static std::atomic<int> number[3];
static int counter;

static void lock(int self) {
  choosing[self] = true;
  int most = 0;
  for (auto& other : number) most = std::max(most, other.load());
  number[self] = most + 1;
  choosing[self] = false;
  for (int other = 0; other < 3; ++other) {
    while (choosing[other]) std::this_thread::yield();
    for (;;) {
      const int theirs = number[other];
      if (theirs == 0 || theirs > number[self] || (theirs == number[self] && other >= self)) break;
      std::this_thread::yield();
    }
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int self = 0; self < 3; ++self)
    threads.emplace_back([self] {
      for (int i = 0; i < 200; ++i) {
        lock(self);
        ++counter;
        number[self] = 0;
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", counter);
}
