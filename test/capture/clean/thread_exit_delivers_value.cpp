// A promise is set at thread exit, after thread-local destructors have changed what the reader then reads.
// EXPECT: none
// OUTPUT: 3
#include <cstdio>
#include <future>
#include <thread>

static int written;
struct Late {
  ~Late() { written += 2; }
  void touch() {}
};

int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread thread([&promise] {
    static thread_local Late late;
    late.touch();
    promise.set_value_at_thread_exit(1);
  });
  const int one = future.get();
  std::printf("%d\n", one + written);
  thread.join();
}
