// `shared` is written under two locks, and read by two threads when the inner one is free, while the outer one is still
// held. The next writer, under the outer lock, is ordered after all of the first thread's section, `later` included.
// EXPECT: none
#include <mutex>
#include <thread>

#include "invisible.h"

namespace {
std::mutex outer;
std::mutex inner;
std::mutex handed_back;
long shared[8];
int readers_done;
int later;

void read_shared(int step) {
  await(step);
  {
    const std::lock_guard guard(inner);
    use(shared[0]);
  }
  for (const long& one : shared) use(one);
  const std::lock_guard guard(handed_back);
  ++readers_done;
  reach(step + 1);
}
}  // namespace

int main() {
  std::thread first([] {
    outer.lock();
    inner.lock();
    for (long& one : shared) one = 1;
    inner.unlock();
    reach(1);
    await(3);
    later = 1;
    outer.unlock();
    reach(4);
  });
  std::thread reader([] { read_shared(1); });
  std::thread other_reader([] { read_shared(2); });
  std::thread last([] {
    await(4);
    {
      const std::lock_guard guard(handed_back);
      use(readers_done);
    }
    {
      const std::lock_guard guard(outer);
      shared[5] = 2;
    }
    use(later);
  });
  first.join();
  reader.join();
  other_reader.join();
  last.join();
}
