// A string stream is written and tested under a lock; its buffer belongs to the C++ library.
// EXPECT: none
// OUTPUT: 42
#include <cstdio>
#include <mutex>
#include <sstream>
#include <thread>

std::mutex m;
std::stringstream stream;
int result;

bool is_written() {
  std::lock_guard<std::mutex> lock(m);
  return stream.tellp() > 0;
}

int main() {
  std::thread producer([] {
    result = 42;
    std::lock_guard<std::mutex> lock(m);
    stream << 1;
  });
  while (!is_written()) std::this_thread::yield();
  std::printf("%d\n", result);
  producer.join();
}
