// Three workers and the main thread. The race is between the first and the last worker: both use `progress` outside of
// the lock, and the lock that each takes afterwards or before orders them in the recorded run.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex door;
std::mutex statistics;
std::condition_variable opened;
bool open_now, waits;
int done;
int asked;
int progress;  // guarded by nothing

void first() {
  progress = 1;
  std::lock_guard<std::mutex> hold(statistics);
  ++done;
}

void second() {
  {
    std::lock_guard<std::mutex> hold(door);
    open_now = true;
  }
  opened.notify_all();
}

int third() {
  {
    std::unique_lock<std::mutex> hold(door);
    opened.wait(hold, [] { return (waits = true) && open_now; });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  {
    std::lock_guard<std::mutex> hold(statistics);
    ++asked;
  }
  std::lock_guard<std::mutex> hold(door);
  return progress;
}

bool third_waits() {
  std::lock_guard<std::mutex> hold(door);
  return waits;
}

int main() {
  std::thread c([] { std::printf("%d\n", third()); });
  std::thread a(first);
  while (!third_waits()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::thread b(second);
  a.join();
  b.join();
  c.join();
}
