// A hash map with a lock for each bucket; the buckets are std::list and std::map.
// EXPECT: none
// OUTPUT: 400 400
#include <cstdio>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

struct Bucket {
  std::mutex mutex;
  std::list<int> keys;
  std::map<int, int> values;
};
static Bucket buckets[8];

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        const int key = 4 * i + t;
        Bucket& bucket = buckets[key % 8];
        {
          const std::lock_guard<std::mutex> lock(bucket.mutex);
          bucket.keys.push_back(key);
          bucket.values[key] = key;
        }
        if (i % 2 == 0) {
          const std::lock_guard<std::mutex> lock(bucket.mutex);
          bucket.keys.remove(key);
          bucket.values.erase(key);
        }
      }
    });
  for (auto& thread : threads) thread.join();
  std::size_t keys = 0, values = 0;
  for (Bucket& bucket : buckets) {
    keys += bucket.keys.size();
    values += bucket.values.size();
  }
  std::printf("%zu %zu\n", keys, values);
}
