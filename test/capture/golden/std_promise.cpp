// promise and future, shared_future with several readers, and data in addition to the value.
// EXPECT: none
// OUTPUT: 12
#include <cstdio>
#include <future>
#include <thread>
#include <vector>

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  int beside = 0;
  std::vector<int> seen(3);
  std::vector<std::thread> readers;
  for (size_t i = 0; i < 3; ++i) {
    readers.emplace_back([&, i, future] { seen[i] = future.get() + beside; });
  }
  std::thread writer([&] {
    beside = 1;
    promise.set_value(3);
  });
  writer.join();
  for (auto& t : readers) t.join();
  std::printf("%d\n", seen[0] + seen[1] + seen[2]);
}
