// A recursive_mutex in a class whose methods call each other.
// EXPECT: none
// OUTPUT: 300
#include <cstdio>
#include <mutex>
#include <thread>

class Account {
 public:
  void add(int amount) {
    std::lock_guard lock(m_);
    balance_ += amount;
  }
  void add_twice(int amount) {
    std::lock_guard lock(m_);
    add(amount);
    balance_ += amount;
  }
  int balance() {
    std::lock_guard lock(m_);
    return balance_;
  }

 private:
  std::recursive_mutex m_;
  int balance_ = 0;
};

int main() {
  Account account;
  std::thread a([&] {
    for (int i = 0; i < 100; ++i) account.add_twice(1);
  });
  std::thread b([&] {
    for (int i = 0; i < 100; ++i) account.add(1);
  });
  a.join();
  b.join();
  std::printf("%d\n", account.balance());
}
