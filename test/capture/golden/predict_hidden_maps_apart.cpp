// Two trees and two hash tables under one lock: the accesses of the C++ library to their nodes are seen.
// EXPECT: race A B predicted
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include "invisible.h"

std::mutex m;
std::map<int, int> trees[2];
std::unordered_map<std::string, int> tables[2];
int x;

void use_own(int number) {
  std::lock_guard<std::mutex> lock(m);
  for (int i = 0; i < 20; ++i) trees[number][i] = i;
  for (int i = 0; i < 20; i += 2) trees[number].erase(i);
  tables[number]["some text that is somewhat longer"] = 1;
}

int main() {
  std::thread t([] {
    x = 1;  // A
    use_own(0);
    reach(1);
  });
  await(1);
  use_own(1);
  x = 2;  // B
  t.join();
}
