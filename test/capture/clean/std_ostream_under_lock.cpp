// A logger: an ostringstream and a vector of lines under one mutex, flushed by another thread.
// EXPECT: none
// OUTPUT: 300
#include <cstdio>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

class Log {
 public:
  void say(int who, int what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stream_ << who << ' ' << what << '\n';
  }
  std::string take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string text = stream_.str();
    stream_.str("");
    return text;
  }

 private:
  std::mutex mutex_;
  std::ostringstream stream_;
};
int main() {
  Log log;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 100; ++i) log.say(t, i);
    });
  std::size_t lines = 0;
  while (lines < 300)
    for (char c : log.take()) lines += c == '\n';
  for (auto& thread : threads) thread.join();
  std::printf("%zu\n", lines);
}
