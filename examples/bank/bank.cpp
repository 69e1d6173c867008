// A teller pays money in, an auditor compares the accounts with the running total. The bug: the total is written and
// read without a lock. A run rarely shows it, because both threads also take the lock of the log, and whoever takes it
// second seems to come after the other.
//
// bank.std is a trace of one run of this program, written by hand: the teller was done before the auditor began.
// Build it with: g++ -std=c++20 -pthread bank.cpp
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex accounts;  // guards alice and bob
int alice;
int bob;

int total;  // what the accounts add up to; guarded by nothing

std::mutex log_lock;  // guards the log
int deposits_logged;
int audits_logged;

void deposit(int amount) {
  {
    std::lock_guard<std::mutex> hold(accounts);
    alice += amount;
  }
  total += amount;  // the lock is gone already
  {
    std::lock_guard<std::mutex> hold(log_lock);
    ++deposits_logged;
  }
}

void teller() {
  deposit(10);
  deposit(20);
}

void auditor() {
  {
    std::lock_guard<std::mutex> hold(log_lock);
    ++audits_logged;
  }
  int sum;
  {
    std::lock_guard<std::mutex> hold(accounts);
    sum = alice + bob;
  }
  if (sum != total) std::puts("audit failed");
}

int main() {
  alice = 100;
  bob = 50;
  total = 150;
  std::thread first(teller);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the auditor comes a little later
  std::thread second(auditor);
  first.join();
  second.join();
  std::printf("total %d, %d deposits\n", total, deposits_logged);
}
