// Exceptions are thrown in workers, kept as exception_ptr under a lock, and rethrown in main, which reads their text.
// EXPECT: none
// OUTPUT: 4 failed 5
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::mutex mutex;
  std::vector<std::exception_ptr> failures;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      try {
        throw std::runtime_error("task" + std::to_string(t));
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        failures.push_back(std::current_exception());
      }
    });
  for (auto& thread : threads) thread.join();
  std::size_t length = 0;
  for (const auto& failure : failures) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      length = std::string(error.what()).size();
    }
  }
  std::printf("%zu failed %zu\n", failures.size(), length);
}
