// Threads may use std::cout concurrently, as it is by default; each formats with its own stream.
// EXPECT: none
// OUTPUT: 60
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::vector<std::thread> threads;
  std::vector<std::size_t> lengths(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      std::ostringstream line;
      for (int k = 0; k < 20; ++k) {
        line << k % 10;
        std::cout << "" << std::flush;
        std::clog << std::string();
      }
      lengths[i] = line.str().size();
    });
  }
  for (auto& thread : threads) thread.join();
  std::cout << lengths[0] + lengths[1] + lengths[2] << std::endl;
}
