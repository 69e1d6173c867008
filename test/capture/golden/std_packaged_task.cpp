// packaged_task runs in another thread; wait_for sees that it is ready.
// EXPECT: none
// OUTPUT: 9
#include <chrono>
#include <cstdio>
#include <future>
#include <thread>

int main() {
  int side = 0;
  std::packaged_task<int(int)> task([&](int x) {
    side = 1;
    return x * x;
  });
  auto future = task.get_future();
  std::thread t(std::move(task), 3);
  while (future.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) continue;
  side = 2;
  std::printf("%d\n", future.get());
  t.join();
}
