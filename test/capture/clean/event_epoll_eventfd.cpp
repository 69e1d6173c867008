// An event loop on epoll: eventfd carries counts, a guarded queue carries the closures.
// EXPECT: none
// OUTPUT: 300
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<std::function<void()>> posted;
static int wakeup, poller;
static int total;
static bool stopped;

static void post(std::function<void()> what) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    posted.push_back(std::move(what));
  }
  const std::uint64_t one = 1;
  if (write(wakeup, &one, sizeof one) != sizeof one) std::abort();
}
int main() {
  wakeup = eventfd(0, EFD_NONBLOCK);
  poller = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(poller, EPOLL_CTL_ADD, wakeup, &event);
  std::thread loop([] {
    while (!stopped) {
      epoll_event ready{};
      epoll_wait(poller, &ready, 1, -1);
      std::uint64_t count = 0;
      if (read(wakeup, &count, sizeof count) != sizeof count) continue;
      std::vector<std::function<void()>> mine;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        mine.swap(posted);
      }
      for (auto& what : mine) what();
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) post([] { ++total; });
    });
  for (auto& thread : threads) thread.join();
  post([] { stopped = true; });
  loop.join();
  std::printf("%d\n", total);
}
