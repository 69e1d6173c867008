// Recursive mutexes and condition variables that wait with them: every unlock by the holder is a release.
// EXPECT: none
// OUTPUT: 300
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::recursive_mutex m;
static std::condition_variable_any changed;
static int value;
static bool go;

static void add() {
  for (int i = 0; i < 100; ++i) {
    const std::lock_guard outer(m);
    const std::lock_guard inner(m);
    ++value;
  }
}

int main() {
  std::thread a([] {
    std::unique_lock lock(m);
    changed.wait(lock, [] { return go; });
    add();
  });
  std::thread b(add);
  {
    const std::lock_guard lock(m);
    go = true;
  }
  changed.notify_all();
  add();
  a.join();
  b.join();
  std::printf("%d\n", value);
}
