// RECIPE, Figure 6. Each thread has a lock of its own around the count that all share. The first would start a thread
// if it found one entry left, as it does between the two steps of the second.
#include <mutex>
#include <thread>

#include "order.hpp"

constexpr int total = 5;
std::mutex first_lock, second_lock, third_lock;
int alive = 3;
int seen;
void third() {
  const std::lock_guard<std::mutex> guard(third_lock);
  seen = total - alive;  // race in paths
}
void second() {
  {
    const std::lock_guard<std::mutex> guard(second_lock);
    alive += 1;
  }
  std::thread child(third);
  child.join();
  {
    const std::lock_guard<std::mutex> guard(second_lock);
    alive += 1;
  }
  reach(1);
}
void first() {
  await(1);
  int left = 0;
  {
    const std::lock_guard<std::mutex> guard(first_lock);
    left = total - alive;
  }
  if (left == 1) {
    const std::lock_guard<std::mutex> guard(first_lock);
    alive += 1;  // race in paths
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
