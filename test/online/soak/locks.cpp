/// \file
/// Many locks, adjacent small fields under each, occasional nested locks, short lives on the heap: state that a
/// detector could keep for ever. `locks SECONDS`.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Account {
  std::mutex lock;
  int balance = 0;
  short moves = 0;
  char marks[10] = {};
  long sums[4] = {};
};

Account accounts[64];
std::atomic<bool> stop{false};

void work(uint32_t random) {
  while (!stop.load(std::memory_order_relaxed)) {
    random = random * 1664525 + 1013904223;
    const size_t first = random >> 10 & 63;
    Account& account = accounts[first];
    const std::lock_guard guard(account.lock);
    account.balance++;
    account.moves++;
    account.marks[random >> 16 & 7]++;
    account.sums[random >> 20 & 3] += account.balance;
    if (random >> 28 == 0 && first != 63) {
      Account& next = accounts[first + 1];
      const std::lock_guard inner(next.lock);
      next.sums[0] += account.balance;
    }
    const std::vector<int> note(8, account.balance);
    account.sums[1] += note[3];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 10;
  std::vector<std::thread> threads;
  for (uint32_t id = 1; id <= 3; id++) threads.emplace_back(work, id);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  long moves = 0;
  for (const Account& account : accounts) moves += account.balance;
  std::printf("%ld moves\n", moves);
}
