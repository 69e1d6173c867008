// Formatted output to one's own stream in each thread; the standard streams are used under a mutex.
// EXPECT: none
// OUTPUT: thread 12
// OUTPUT: thread 12
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex m;

static void work() {
  std::ostringstream out;
  out << "thread " << 3 * 4;
  std::lock_guard lock(m);
  std::cout << out.str() << '\n';
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
