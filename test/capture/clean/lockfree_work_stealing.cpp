// The deque of Chase and Lev: the owner pushes and takes at one end, thieves at the other.
// EXPECT: none
// OUTPUT: 2000
#include <atomic>
#include <cstdio>
#include <thread>

struct Task {
  int weight;
};
static std::atomic<long> top, bottom;
static std::atomic<Task*> tasks[256];
static std::atomic<int> done;

static bool push(Task* task) {
  const long at = bottom.load(std::memory_order_relaxed);
  if (at - top.load(std::memory_order_acquire) >= 256) return false;
  tasks[at % 256].store(task, std::memory_order_relaxed);
  bottom.store(at + 1, std::memory_order_release);
  return true;
}
static Task* take() {
  const long at = bottom.load(std::memory_order_relaxed) - 1;
  bottom.store(at, std::memory_order_seq_cst);
  long first = top.load(std::memory_order_seq_cst);
  if (first > at) {
    bottom.store(at + 1, std::memory_order_relaxed);
    return nullptr;
  }
  Task* task = tasks[at % 256].load(std::memory_order_relaxed);
  if (first == at) {
    if (!top.compare_exchange_strong(first, first + 1)) task = nullptr;
    bottom.store(at + 1, std::memory_order_relaxed);
  }
  return task;
}
static Task* steal() {
  long first = top.load(std::memory_order_seq_cst);
  const long last = bottom.load(std::memory_order_seq_cst);
  if (first >= last) return nullptr;
  Task* const task = tasks[first % 256].load(std::memory_order_relaxed);
  return top.compare_exchange_strong(first, first + 1) ? task : nullptr;
}
static void work(Task* task) {
  done += task->weight;
  delete task;
}
int main() {
  auto thief = [] {
    while (done < 2000)
      if (Task* const task = steal())
        work(task);
      else
        std::this_thread::yield();
  };
  std::thread a(thief), b(thief);
  for (int i = 0; i < 2000; ++i) {
    Task* const task = new Task{1};
    while (!push(task))
      if (Task* const mine = take()) work(mine);
    if (i % 3 == 0)
      if (Task* const mine = take()) work(mine);
  }
  while (Task* const mine = take()) work(mine);
  a.join();
  b.join();
  std::printf("%d\n", done.load());
}
