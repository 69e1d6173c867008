// Frames of ended threads and of returned functions are used again by others; addresses coincide, lives do not.
// EXPECT: none
// OUTPUT: 200
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int* posted;
static int total;

__attribute__((noinline)) static void publish_local() {
  int local = 1;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    posted = &local;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    total += *posted;
    posted = nullptr;
  }
}
int main() {
  for (int i = 0; i < 50; ++i) {
    std::thread a([] {
      publish_local();
      publish_local();
    });
    a.join();
    std::thread b([] {
      publish_local();
      publish_local();
    });
    b.join();
  }
  std::printf("%d\n", total);
}
