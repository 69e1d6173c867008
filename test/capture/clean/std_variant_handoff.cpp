// A variant changes its alternative under a lock; the pointer inside is used by the thread that took it out.
// EXPECT: none
// OUTPUT: 200
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

using Item = std::variant<std::monostate, std::unique_ptr<int>, long>;
static std::mutex mutex;
static Item slot;

int main() {
  std::thread producer([] {
    for (int i = 0; i < 200;) {
      auto value = std::make_unique<int>(1);
      const std::lock_guard<std::mutex> lock(mutex);
      if (slot.index() != 0) continue;
      if (i % 2 == 0)
        slot = std::move(value);
      else
        slot = 1L;
      ++i;
    }
  });
  long sum = 0;
  for (int i = 0; i < 200;) {
    Item mine;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      std::swap(mine, slot);
    }
    if (mine.index() == 0) continue;
    if (const auto* pointer = std::get_if<std::unique_ptr<int>>(&mine))
      sum += **pointer;
    else
      sum += std::get<long>(mine);
    ++i;
  }
  producer.join();
  std::printf("%ld\n", sum);
}
