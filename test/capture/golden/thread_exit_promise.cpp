// A value set at thread exit is seen by its receiver, and so is everything that the thread did before. The same holds
// of a condition variable that is notified at thread exit.
// PEER: reports it does not see the release inside the C++ library
// EXPECT: none
// OUTPUT: 7 8 9
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

static int plain;
static std::mutex m;
static std::condition_variable changed;
static bool done;
static int guarded;

int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread setter([&promise] {
    promise.set_value_at_thread_exit(7);
    plain = 8;
  });
  setter.detach();
  const int value = future.get();
  const int other = plain;
  std::thread notifier([] {
    std::unique_lock lock(m);
    guarded = 9;
    done = true;
    std::notify_all_at_thread_exit(changed, std::move(lock));
  });
  {
    std::unique_lock lock(m);
    changed.wait(lock, [] { return done; });
    std::printf("%d %d %d\n", value, other, guarded);
  }
  notifier.join();
}
