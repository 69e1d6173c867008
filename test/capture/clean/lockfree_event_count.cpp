// An event count: a waiter registers, looks at the condition once more, and sleeps on a futex word.
// EXPECT: none
// OUTPUT: 500
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<unsigned> events{0};
static std::atomic<int> waiters{0};
static std::atomic<int*> slot{nullptr};

static void notify() {
  events.fetch_add(1);
  if (waiters.load() > 0) events.notify_all();
}
template <class Condition>
static void wait_until(Condition condition) {
  while (!condition()) {
    ++waiters;
    const unsigned seen = events.load();
    if (!condition()) events.wait(seen);
    --waiters;
  }
}
int main() {
  int total = 0;
  std::thread consumer([&total] {
    for (int i = 0; i < 500; ++i) {
      wait_until([] { return slot.load() != nullptr; });
      int* const item = slot.exchange(nullptr);
      total += *item;
      delete item;
      notify();
    }
  });
  for (int i = 0; i < 500; ++i) {
    int* const item = new int(1);
    wait_until([] { return slot.load() == nullptr; });
    slot.store(item);
    notify();
  }
  consumer.join();
  std::printf("%d\n", total);
}
