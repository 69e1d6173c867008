// No race: a flag behind a lock says that x may be read, readers share a lock with the writer, and a condition is
// awaited.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "order.hpp"

std::mutex m;
std::shared_mutex shared;
std::condition_variable condition;
bool ready;
bool woken;
int x, y, z;
int seen;
void first() {
  x = 1;
  {
    const std::lock_guard<std::mutex> guard(m);
    ready = true;
  }
  {
    const std::unique_lock<std::shared_mutex> guard(shared);
    y = 1;
  }
  z = 1;
  {
    const std::lock_guard<std::mutex> guard(m);
    woken = true;
  }
  condition.notify_one();
  reach(1);
}
void second() {
  await(1);
  bool may_read = false;
  {
    const std::lock_guard<std::mutex> guard(m);
    may_read = ready;
  }
  if (may_read) seen = x;
  {
    const std::shared_lock<std::shared_mutex> guard(shared);
    seen += y;
  }
  std::unique_lock<std::mutex> guard(m);
  while (!woken) condition.wait(guard);
  seen += z;
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
