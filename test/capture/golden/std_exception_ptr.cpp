// An exception travels to another thread, is rethrown there by several readers, and dies there.
// EXPECT: none
// OUTPUT: 3
#include <cstdio>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::vector<int> caught(3);
  std::vector<std::thread> readers;
  for (size_t i = 0; i < 3; ++i) {
    readers.emplace_back([&caught, i, future]() mutable {
      try {
        future.get();
      } catch (const std::runtime_error& error) {
        caught[i] = std::string(error.what()).size() == 30;
      }
    });
  }
  future = {};
  std::thread([&promise] {
    try {
      throw std::runtime_error(std::string(30, 'x'));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }).join();
  for (auto& t : readers) t.join();
  std::printf("%d\n", caught[0] + caught[1] + caught[2]);
}
