// As other_command.cpp, and everything is under its lock. Nothing is found.
#include <unistd.h>

#include <mutex>
#include <thread>

std::mutex m, log_lock;
int command, entries, last;
void write_entry(int entry) {
  const std::lock_guard<std::mutex> guard(log_lock);
  last = entry;
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
  last = 1;
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
