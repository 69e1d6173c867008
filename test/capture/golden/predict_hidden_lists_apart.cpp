// Two lists under one lock: the functions that link their nodes are instrumented, and their sections do not conflict.
// EXPECT: race A B predicted
#include <list>
#include <mutex>
#include <thread>
#include "invisible.h"

std::mutex m;
std::list<int> ones, others;
int x;

int main() {
  std::thread t([] {
    x = 1;  // A
    {
      std::lock_guard<std::mutex> lock(m);
      ones.push_back(1);
      ones.splice(ones.begin(), ones, --ones.end());
    }
    reach(1);
  });
  await(1);
  {
    std::lock_guard<std::mutex> lock(m);
    others.push_back(1);
    others.reverse();
    others.clear();
  }
  x = 2;  // B
  t.join();
}
