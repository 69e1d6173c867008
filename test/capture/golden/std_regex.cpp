// Regular expressions in two threads: the C++ library's cache of converted characters is filled by both, which harms
// nobody.
// PEER: reports the cache
// EXPECT: none
// OUTPUT: 40
#include <cstdio>
#include <regex>
#include <thread>

static int matches() {
  int count = 0;
  for (int i = 0; i < 20; ++i) {
    const std::regex expression("([a-z]+)[0-9]*");
    if (std::regex_match("abc12", expression)) ++count;
  }
  return count;
}

int main() {
  int first = 0;
  int second = 0;
  std::thread a([&] { first = matches(); });
  std::thread b([&] { second = matches(); });
  a.join();
  b.join();
  std::printf("%d\n", first + second);
}
