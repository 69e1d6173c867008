// A std::stringstream under a lock signals that a result is ready; the result itself is read without the lock.
// EXPECT: none
// OUTPUT: 7
#include <cstdio>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex mutex;
static std::stringstream channel;
static int result;

int main() {
  std::thread producer([] {
    result = 7;
    const std::lock_guard<std::mutex> lock(mutex);
    channel.clear();
    channel << "ready ";
  });
  for (;;) {
    std::string word;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      channel.clear();
      channel >> word;
    }
    if (word == "ready") break;
    std::this_thread::yield();
  }
  std::printf("%d\n", result);
  producer.join();
}
