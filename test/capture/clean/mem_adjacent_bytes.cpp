// Threads write neighbouring bytes, shorts and bit-fields of different storage units of one cache line.
// EXPECT: none
// OUTPUT: 7 7 7 7 7 7
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

struct alignas(64) Record {
  std::uint8_t a, b;
  std::uint16_t c;
  std::uint32_t d : 5;
  std::uint32_t : 0;
  std::uint32_t e : 5;
  std::uint64_t f;
};
static Record record;

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back([] {
    for (int i = 0; i < 200; ++i) record.a = 7;
  });
  threads.emplace_back([] {
    for (int i = 0; i < 200; ++i) record.b = 7;
  });
  threads.emplace_back([] {
    for (int i = 0; i < 200; ++i) record.c = 7;
  });
  threads.emplace_back([] {
    for (int i = 0; i < 200; ++i) record.d = 7;
  });
  threads.emplace_back([] {
    for (int i = 0; i < 200; ++i) record.e = 7;
  });
  threads.emplace_back([] {
    for (int i = 0; i < 200; ++i) record.f = 7;
  });
  for (auto& thread : threads) thread.join();
  std::printf("%d %d %d %d %d %d\n", record.a, record.b, record.c, record.d, record.e, static_cast<int>(record.f));
}
