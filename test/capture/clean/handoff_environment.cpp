// An environment variable, always accessed under one lock, signals that a plain value is ready.
// EXPECT: none
// OUTPUT: 5
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int value;

int main() {
  std::thread writer([] {
    value = 5;
    const std::lock_guard<std::mutex> lock(mutex);
    setenv("CLEAN_PROGRAM_READY", "1", 1);
  });
  for (bool ready = false; !ready; std::this_thread::yield()) {
    const std::lock_guard<std::mutex> lock(mutex);
    ready = std::getenv("CLEAN_PROGRAM_READY") != nullptr;
  }
  std::printf("%d\n", value);
  writer.join();
}
