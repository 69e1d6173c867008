// A waiter on its own stack is in a queue; the thread that serves it sets members that it reads under the lock.
// EXPECT: none
// CONFIRM: none
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include "invisible.h"

struct Waiter {
  int served_by = 0;
  int result = 0;
  bool done = false;
  std::condition_variable cv;
};

static std::mutex m;
static std::deque<Waiter*> queue;
int sink;

__attribute__((noinline)) static void wait_for_it() {
  Waiter w;
  std::unique_lock<std::mutex> lock(m);
  queue.push_back(&w);
  reach_next();
  while (!w.done) w.cv.wait(lock);
  sink = w.result;
}

static void serve(int count) {
  for (int i = 1; i <= count; ++i) {
    await(i);
    std::lock_guard<std::mutex> lock(m);
    Waiter* w = queue.front();
    queue.pop_front();
    w->served_by = 1;
    w->result = 7;
    w->done = true;
    w->cv.notify_one();
  }
}

int main() {
  std::thread a([] { wait_for_it(), wait_for_it(); });
  std::thread b(serve, 2);
  a.join();
  b.join();
}
