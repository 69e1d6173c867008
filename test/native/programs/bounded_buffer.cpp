// RECIPE's case study. The consumer takes what the producer filled in; any count above 0 leads it there.
#include <mutex>
#include <thread>

#include "order.hpp"

std::mutex m;
int count;
int data;
int seen;
void producer() {
  for (int i = 0; i < 2; ++i) {
    {
      const std::lock_guard<std::mutex> guard(m);
      count = i + 1;
    }
    if (i == 0) data = 7;  // race in relax
  }
  reach(1);
}
void consumer() {
  await(1);
  int available = 0;
  {
    const std::lock_guard<std::mutex> guard(m);
    available = count;
  }
  if (available > 0) seen = data;  // race in relax
}
int main() {
  std::thread one(producer), two(consumer);
  one.join();
  two.join();
}
