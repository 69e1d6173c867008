// Two writes under one lock that nobody reads in between: every relation orders the sections, for no reason.
#include <unistd.h>

#include <mutex>
#include <thread>

std::mutex m;
int last, x;
void first() {
  x = 1;  // race by lw
  const std::lock_guard<std::mutex> guard(m);
  last = 1;
}
void second() {
  usleep(200'000);
  {
    const std::lock_guard<std::mutex> guard(m);
    last = 2;
  }
  x = 2;  // race by lw
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
