// A manual-reset event on a futex by system call; the setter publishes plain data.
// EXPECT: none
// OUTPUT: 42 42 42
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> set{0};
static int answer;
static int seen[3];

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([t] {
      while (set.load(std::memory_order_acquire) == 0)
        syscall(SYS_futex, &set, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
      seen[t] = answer;
    });
  answer = 42;
  set.store(1, std::memory_order_release);
  syscall(SYS_futex, &set, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  for (auto& thread : threads) thread.join();
  std::printf("%d %d %d\n", seen[0], seen[1], seen[2]);
}
