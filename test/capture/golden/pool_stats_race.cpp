// A worker counts its work in a plain member that the owner polls.
// EXPECT: race A B
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include "invisible.h"

struct Worker {
  std::mutex m;
  std::condition_variable changed;
  std::queue<int> jobs;
  long finished = 0;
};

static Worker w;

int main() {
  std::thread t([] {
    std::unique_lock lock(w.m);
    w.changed.wait(lock, [] { return !w.jobs.empty(); });
    w.jobs.pop();
    lock.unlock();
    w.finished = 1;  // A
    reach(1);
  });
  {
    std::lock_guard lock(w.m);
    w.jobs.push(1);
  }
  w.changed.notify_one();
  await(1);
  use(w.finished);  // B
  t.join();
}
