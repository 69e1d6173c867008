// The ending thread has the last reference to a shared state whose value it sets, or the value is never retrieved.
// PEER: reports it does not see the reference inside the C++ library
// EXPECT: none
// OUTPUT: 100
#include <cstdio>
#include <future>
#include <string>
#include <thread>

int main() {
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    std::promise<std::string> promise;
    auto future = promise.get_future();
    std::thread setter([promise = std::move(promise)]() mutable { promise.set_value_at_thread_exit("ab"); });
    if (i % 2 == 0) {
      sum += 2 * static_cast<int>(future.get().size());
    } else {
      future = {};
    }
    setter.join();
  }
  std::printf("%d\n", sum);
}
