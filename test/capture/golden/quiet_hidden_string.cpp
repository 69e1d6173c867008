// A string grows under a lock, in a function of the C++ library.
// BUILD: -std=c++17
// EXPECT: none
// OUTPUT: 42
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

std::mutex m;
std::string done;
int result;

int main() {
  std::thread producer([] {
    result = 42;
    std::lock_guard<std::mutex> lock(m);
    done += "x";
  });
  for (bool is_done = false; !is_done;) {
    {
      std::lock_guard<std::mutex> lock(m);
      is_done = done.find("x") != std::string::npos;
    }
    std::this_thread::yield();
  }
  std::printf("%d\n", result);
  producer.join();
}
