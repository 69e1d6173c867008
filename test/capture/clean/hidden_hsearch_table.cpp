// Results are kept in a hash table of the C library (hsearch) under a lock; a found entry hands its object over.
// EXPECT: none
// OUTPUT: 55
#include <search.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<std::string> names;
static int objects[10];

int main() {
  hcreate(64);
  for (int i = 0; i < 10; ++i) names.push_back("object " + std::to_string(i));
  std::thread producer([] {
    for (int i = 0; i < 10; ++i) {
      objects[i] = i + 1;
      const std::lock_guard<std::mutex> lock(mutex);
      ENTRY entry{names[i].data(), &objects[i]};
      hsearch(entry, ENTER);
    }
  });
  int sum = 0;
  for (int i = 0; i < 10;) {
    ENTRY* found = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ENTRY wanted{names[i].data(), nullptr};
      found = hsearch(wanted, FIND);
    }
    if (found == nullptr) {
      std::this_thread::yield();
      continue;
    }
    sum += *static_cast<int*>(found->data);
    ++i;
  }
  producer.join();
  hdestroy();
  std::printf("%d\n", sum);
}
