// Asynchronous and deferred tasks that get each other's futures.
// EXPECT: none
// OUTPUT: 42
#include <cstdio>
#include <future>

int main() {
  int base = 20;
  auto first = std::async(std::launch::async, [&base] { return ++base; });
  auto second = std::async(std::launch::deferred, [&first] { return first.get() * 2; });
  auto third = std::async(std::launch::async, [&second] { return second.get(); });
  const int answer = third.get();
  std::printf("%d\n", base == 21 ? answer : 0);
}
