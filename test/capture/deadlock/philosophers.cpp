// Five philosophers, each of which takes the left fork first; in the recorded run they eat one after the other.
// expect: deadlock 20
#include <mutex>
#include <thread>
#include <vector>

#include "../golden/invisible.h"

namespace {

constexpr int kPhilosophers = 5;
std::mutex forks[kPhilosophers];
int meals[kPhilosophers];

void eat(int n) {
  await(n);
  std::mutex& left = forks[n];
  std::mutex& right = forks[(n + 1) % kPhilosophers];
  const std::lock_guard first(left);
  const std::lock_guard second(right);
  ++meals[n];
  reach_next();
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int n = 0; n < kPhilosophers; ++n) threads.emplace_back(eat, n);
  for (auto& thread : threads) thread.join();
}
