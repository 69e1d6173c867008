// std::barrier with a completion function, several phases, and a thread that drops out.
// EXPECT: none
// OUTPUT: 5 12
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  int phases = 0, sum = 0;
  std::vector<int> slot(3);
  std::barrier barrier(3, [&]() noexcept {
    ++phases;
    for (int value : slot) sum += value;
    for (int& value : slot) value = 0;
  });
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < (i == 0 ? 2 : 5); ++k) {
        slot[i] = 1;
        if (i == 0 && k == 1) {
          barrier.arrive_and_drop();
        } else {
          barrier.arrive_and_wait();
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d %d\n", phases, sum);
}
