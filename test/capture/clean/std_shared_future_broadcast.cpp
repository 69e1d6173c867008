// Many threads wait for one shared future and read the object that it refers to.
// EXPECT: none
// OUTPUT: 40
#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <thread>
#include <vector>

int main() {
  std::promise<std::shared_ptr<std::vector<int>>> promise;
  const auto future = promise.get_future().share();
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([future, &total] {
      const auto data = future.get();
      for (int value : *data) total += value;
    });
  auto data = std::make_shared<std::vector<int>>();
  for (int i = 0; i < 5; ++i) data->push_back(2);
  promise.set_value(std::move(data));
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", total.load());
}
