// A worker may touch a record only while its id is in a std::set that a lock guards.
// EXPECT: none
// OUTPUT: 200
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

static std::mutex mutex;
static std::set<int> ready;
static int records[100];

int main() {
  auto stage = [](bool first) {
    for (int done = 0; done < 100;) {
      int id = -1;
      if (first) {
        id = done;
      } else {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!ready.empty()) {
          id = *ready.begin();
          ready.erase(ready.begin());
        }
      }
      if (id < 0) {
        std::this_thread::yield();
        continue;
      }
      ++records[id];
      ++done;
      if (first) {
        const std::lock_guard<std::mutex> lock(mutex);
        ready.insert(id);
      }
    }
  };
  std::thread a(stage, true), b(stage, false);
  a.join();
  b.join();
  int sum = 0;
  for (int record : records) sum += record;
  std::printf("%d\n", sum);
}
