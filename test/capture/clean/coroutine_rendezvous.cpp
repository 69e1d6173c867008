// Two sides of a coroutine meet at an atomic state: the second one resumes it.
// EXPECT: none
// OUTPUT: 50
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <thread>

struct Slot {
  std::atomic<void*> state{nullptr};  // null, a waiting coroutine, or `this`: the value is ready
  int value = 0;
  void set(int v) {
    value = v;
    void* const before = state.exchange(this, std::memory_order_acq_rel);
    if (before != nullptr) std::coroutine_handle<>::from_address(before).resume();
  }
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    void* before = nullptr;
    return state.compare_exchange_strong(before, handle.address(), std::memory_order_acq_rel);
  }
  int await_resume() const { return value; }
};
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
static Task receive(Slot& slot, int& result, std::atomic<bool>& done) {
  result = co_await slot;
  done.store(true, std::memory_order_release);
}
int main() {
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    Slot slot;
    int result = 0;
    std::atomic<bool> done{false};
    std::thread setter([&slot] { slot.set(1); });
    receive(slot, result, done);
    while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
    sum += result;
    setter.join();
  }
  std::printf("%d\n", sum);
}
