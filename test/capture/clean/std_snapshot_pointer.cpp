// Copy on write: readers take a shared_ptr under a mutex and read without it; writers replace the whole map.
// EXPECT: none
// OUTPUT: 50
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using Map = std::map<int, std::string>;
static std::mutex mutex;
static std::shared_ptr<const Map> current = std::make_shared<Map>();

static std::shared_ptr<const Map> snapshot() {
  const std::lock_guard<std::mutex> lock(mutex);
  return current;
}
int main() {
  std::thread writer([] {
    for (int i = 0; i < 50; ++i) {
      auto next = std::make_shared<Map>(*snapshot());
      (*next)[i] = "value " + std::to_string(i);
      const std::lock_guard<std::mutex> lock(mutex);
      current = std::move(next);
    }
  });
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([] {
      for (std::size_t seen = 0; seen < 50;) {
        const auto map = snapshot();
        seen = 0;
        for (const auto& [key, text] : *map) seen += text.empty() ? 0 : 1;
      }
    });
  writer.join();
  for (auto& reader : readers) reader.join();
  std::printf("%zu\n", snapshot()->size());
}
