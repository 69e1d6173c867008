// A task on the waiting thread's stack is passed to a worker; both access its state under the pool's lock.
// EXPECT: none
// CONFIRM: none
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include "invisible.h"

struct Task {
  int argument = 0;
  int result = 0;
  bool is_done = false;
};

static std::mutex m;
static std::condition_variable changed;
static std::deque<Task*> tasks;

static void work() {
  std::unique_lock<std::mutex> lock(m);
  changed.wait(lock, [] { return !tasks.empty(); });
  Task* const task = tasks.front();
  tasks.pop_front();
  lock.unlock();
  task->result = task->argument + 1;
  lock.lock();
  task->is_done = true;
  changed.notify_all();
}

int main() {
  std::thread worker(work);
  Task task;
  task.argument = 4;
  {
    std::lock_guard<std::mutex> guard(m);
    tasks.push_back(&task);
    changed.notify_all();
  }
  {
    std::unique_lock<std::mutex> lock(m);
    while (!task.is_done) changed.wait(lock);
  }
  use(task.result);
  task.result = 0;
  worker.join();
}
