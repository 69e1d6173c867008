// Four workers count in a table behind a lock, and each writes a variable that nothing guards.
#include <mutex>
#include <thread>
#include <vector>

#include "order.hpp"

std::mutex m;
long table[16];
int racy;
void work(int worker) {
  await(worker);
  for (int i = 0; i < 40; ++i) {
    {
      const std::lock_guard<std::mutex> guard(m);
      ++table[(i * 7 + worker) & 15];
    }
    if (i == 20) racy = worker;  // race in control
  }
  reach(worker + 1);
}
int main() {
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker) workers.emplace_back(work, worker);
  for (std::thread& worker : workers) worker.join();
}
