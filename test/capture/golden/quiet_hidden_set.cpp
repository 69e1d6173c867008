// The first node of a set is written by a function of the C++ library, under a lock.
// EXPECT: none
// OUTPUT: 42
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

std::mutex m;
std::set<int> done;
int result;

bool is_done() {
  std::lock_guard<std::mutex> lock(m);
  return done.begin() != done.end();
}

int main() {
  std::thread producer([] {
    result = 42;
    std::lock_guard<std::mutex> lock(m);
    done.insert(1);
  });
  while (!is_done()) std::this_thread::yield();
  std::printf("%d\n", result);
  producer.join();
}
