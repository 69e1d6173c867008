// The flag has the same value before the access of x as after it.
#include <unistd.h>

#include <atomic>
#include <thread>

std::atomic<int> ready{0};
int x, seen;
void first() {
  ready.store(1);
  x = 9;  // race by value
  ready.store(1);
}
void second() {
  usleep(200'000);
  if (ready.load() == 1) seen = x;  // race by value
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
