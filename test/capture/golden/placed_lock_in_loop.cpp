// A loop that takes a lock in every iteration: no check may leave the lock's section.
// BUILD: -O2
// EXPECT: none
#include <mutex>
#include <thread>

std::mutex mutex;
long total;
int ints[200];

static void add(long n) {
  for (long i = 0; i < n; ++i) {
    const std::lock_guard<std::mutex> guard(mutex);
    total += i;
    ints[i] += 3;
  }
}

int main() {
  std::thread first([] { add(200); });
  std::thread second([] { add(200); });
  first.join();
  second.join();
}
