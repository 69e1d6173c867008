// Two workers use a logger with its own mutex; a counter next to it has none.
// EXPECT: race A A predicted
#include <mutex>
#include <string>
#include <thread>
#include "invisible.h"

class Log {
 public:
  void add(const char* line) {
    std::lock_guard lock(m_);
    if (line == nullptr) last_ = line;
  }

 private:
  std::mutex m_;
  const char* last_ = "";
};

static Log logger;
int handled;

static void worker(int step) {
  await(step);
  logger.add("start");
  handled = step;  // A
  logger.add("end");
  reach(step + 1);
}

int main() {
  std::thread a(worker, 0), b(worker, 1);
  a.join();
  b.join();
}
