// async: launched, deferred, and one that throws.
// EXPECT: none
// OUTPUT: 6 4 caught
#include <cstdio>
#include <future>
#include <stdexcept>

int main() {
  int input = 3;
  auto launched = std::async(std::launch::async, [&] { return input * 2; });
  auto deferred = std::async(std::launch::deferred, [&] { return input + 1; });
  auto throwing = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  const int a = launched.get();
  input = 3;
  const int b = deferred.get();
  try {
    throwing.get();
  } catch (const std::runtime_error&) {
    std::printf("%d %d caught\n", a, b);
  }
}
