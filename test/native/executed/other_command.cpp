// Between two commands of the first thread the second would find one that the run did not come to. It then takes the
// log's lock for the count of entries, and gives it back before it writes.
#include <unistd.h>

#include <mutex>
#include <thread>

std::mutex m, log_lock;
int command, entries, last;
void write_entry(int entry) {
  last = entry;  // race by paths
}
void first() {
  {
    const std::lock_guard<std::mutex> guard(m);
    command = 7;
  }
  {
    const std::lock_guard<std::mutex> guard(m);
    command = 1;
  }
  const std::lock_guard<std::mutex> guard(log_lock);
  last = 1;  // race by paths
}
void second() {
  usleep(200'000);
  int now = 0;
  {
    const std::lock_guard<std::mutex> guard(m);
    now = command;
  }
  if (now == 7) {
    {
      const std::lock_guard<std::mutex> guard(log_lock);
      entries += 1;
    }
    write_entry(now);
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
