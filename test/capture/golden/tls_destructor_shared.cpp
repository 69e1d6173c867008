// Destructors of thread_local objects and pthread keys add to a shared sum under a mutex; join sees it.
// EXPECT: none
// OUTPUT: 22
#include <pthread.h>

#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m;
static int sum, last;

struct Part {
  ~Part() {
    std::lock_guard lock(m);
    sum += value;
  }
  int value = 1;
};

static thread_local Part part;
static pthread_key_t key;

int main() {
  pthread_key_create(&key, [](void* p) {
    std::lock_guard lock(m);
    sum += *static_cast<int*>(p);
    delete static_cast<int*>(p);
  });
  auto work = [] {
    part.value = 4;
    pthread_setspecific(key, new int(7));
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  last = sum;
  std::printf("%d\n", last);
}
