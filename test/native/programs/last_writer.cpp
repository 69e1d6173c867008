// What is written behind the lock is read by nobody: no value has to stay.
#include <mutex>
#include <thread>

#include "order.hpp"

std::mutex m;
int last_user;
int x;
void first() {
  x = 1;  // race in lw
  {
    const std::lock_guard<std::mutex> guard(m);
    last_user = 1;
  }
  reach(1);
}
void second() {
  await(1);
  {
    const std::lock_guard<std::mutex> guard(m);
    last_user = 2;
  }
  x = 2;  // race in lw
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
