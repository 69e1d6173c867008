// Many readers of a variable that is no longer written.
// EXPECT: none
#include <string>
#include <thread>
#include <vector>
#include "invisible.h"

int main() {
  std::string text(1000, 'x');
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&text] {
      for (char c : text) use(c);
      use(static_cast<long>(text.find('y')));
    });
  }
  for (auto& t : threads) t.join();
  text[0] = 'y';
}
