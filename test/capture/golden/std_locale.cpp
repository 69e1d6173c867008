// Parts of the library that share hidden state: locales, number formatting, time.
// EXPECT: none
// OUTPUT: 4
#include <atomic>
#include <cstdio>
#include <ctime>
#include <locale>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&good] {
      std::ostringstream out;
      out.imbue(std::locale::classic());
      out << 3.5 << ' ' << 77;
      std::tm parts{};
      const std::time_t zero = 0;
      gmtime_r(&zero, &parts);
      if (std::stoi("123") == 123 && out.str() == "3.5 77" && parts.tm_year == 70) ++good;
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d\n", good.load());
}
