// Transfers lock two accounts in the order of their addresses; balances are plain.
// EXPECT: none
// OUTPUT: 4000
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
  std::mutex mutex;
  long balance = 1000;
};
static Account accounts[4];

static void transfer(Account& from, Account& to) {
  if (&from == &to) return;
  std::mutex& first = &from < &to ? from.mutex : to.mutex;
  std::mutex& second = &from < &to ? to.mutex : from.mutex;
  const std::lock_guard<std::mutex> one(first), other(second);
  --from.balance;
  ++to.balance;
}
int main() {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([t] {
      for (unsigned i = 0; i < 500; ++i) transfer(accounts[(i + t) % 4], accounts[i * 7 % 4]);
    });
  for (auto& thread : threads) thread.join();
  long sum = 0;
  for (Account& account : accounts) sum += account.balance;
  std::printf("%ld\n", sum);
}
