// The control block of a vector is on a thread's stack; its size, read under a lock, tells which elements were handed
// over.
// EXPECT: none
// CONFIRM: none
#include <mutex>
#include <thread>
#include <vector>
#include "invisible.h"

static std::mutex m;
int x;

static void append(std::vector<int>* numbers) {
  x = 1;
  std::lock_guard<std::mutex> guard(m);
  numbers->push_back(5);
  reach(1);
}

int main() {
  std::vector<int> numbers;
  numbers.reserve(4);
  std::thread writer(append, &numbers);
  await(1);
  long sum = 0;
  {
    std::lock_guard<std::mutex> guard(m);
    for (auto at = numbers.begin(); at != numbers.end(); ++at) sum += *at;
  }
  if (sum != 0) x = 2;
  writer.join();
}
