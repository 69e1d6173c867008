// A mailbox: senders append to a list under the lock, the receiver splices the whole list out and reads it without.
// EXPECT: none
// OUTPUT: 999000
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable arrived;
static std::list<std::string> box;

int main() {
  std::vector<std::thread> senders;
  for (int t = 0; t < 2; ++t)
    senders.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        const std::lock_guard<std::mutex> lock(mutex);
        box.push_back(std::to_string(i));
        arrived.notify_one();
      }
    });
  long sum = 0;
  for (int received = 0; received < 2000;) {
    std::list<std::string> mine;
    {
      std::unique_lock<std::mutex> lock(mutex);
      arrived.wait(lock, [] { return !box.empty(); });
      mine.splice(mine.end(), box);
    }
    for (const std::string& text : mine) sum += std::stol(text);
    received += static_cast<int>(mine.size());
  }
  for (auto& sender : senders) sender.join();
  std::printf("%ld\n", sum);
}
