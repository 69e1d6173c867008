// No race: the flag says that x is written, and no other value leads to the access.
#include <unistd.h>

#include <atomic>
#include <thread>

std::atomic<int> ready{0};
int x, seen;
void first() {
  ready.store(2);
  x = 1;
  ready.store(5);
}
void second() {
  usleep(200'000);
  if (ready.load() > 2) seen = x;
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
