// Two threads match with regular expressions of their own; the locale's caches are the library's affair.
// EXPECT: none
// OUTPUT: 40
#include <atomic>
#include <cstdio>
#include <regex>
#include <string>
#include <thread>

int main() {
  std::atomic<int> matches{0};
  auto work = [&matches] {
    const std::regex pattern("([a-z]+)-([0-9]+)");
    for (int i = 0; i < 20; ++i) matches += std::regex_match("word-" + std::to_string(i), pattern);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", matches.load());
}
