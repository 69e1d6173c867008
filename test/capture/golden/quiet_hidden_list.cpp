// A list becomes non-empty under a lock. A function of the C++ library writes its links, and nothing else of the two
// sections conflicts.
// EXPECT: none
// OUTPUT: 42
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable filled;
std::list<int> done;
int result;

int main() {
  std::thread producer([] {
    result = 42;
    {
      std::lock_guard<std::mutex> lock(m);
      done.push_back(1);
    }
    filled.notify_one();
  });
  std::thread consumer([] {
    {
      std::unique_lock<std::mutex> lock(m);
      filled.wait(lock, [] { return !done.empty(); });
    }
    std::printf("%d\n", result);
  });
  producer.join();
  consumer.join();
}
