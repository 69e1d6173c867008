// Left-right: two copies of the data, readers use one while the writer changes the other.
// EXPECT: none
// OUTPUT: 0 torn
#include <atomic>
#include <cstdio>
#include <thread>

struct Data {
  long a = 0, b = 0;
};
static Data copies[2];
static std::atomic<int> side{0}, version{0};
static std::atomic<int> reading[2];

static bool read_is_torn() {
  const int arrived = version.load();
  ++reading[arrived];
  const Data& data = copies[side.load()];
  const bool torn = data.a != data.b;
  --reading[arrived];
  return torn;
}
static void wait_for(int which) {
  while (reading[which].load() != 0) std::this_thread::yield();
}
int main() {
  std::atomic<int> torn{0};
  auto reader = [&torn] {
    for (int i = 0; i < 1500; ++i) torn += read_is_torn();
  };
  std::thread a(reader), b(reader);
  for (long i = 1; i <= 200; ++i) {
    const int now = side.load();
    copies[1 - now].a = copies[1 - now].b = i;
    side.store(1 - now);
    const int old_version = version.load();
    wait_for(1 - old_version);
    version.store(1 - old_version);
    wait_for(old_version);
    copies[now].a = copies[now].b = i;
  }
  a.join();
  b.join();
  std::printf("%d torn\n", torn.load());
}
