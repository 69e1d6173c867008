// Two strings under one lock, with functions of the C++ library: their accesses are known.
// BUILD: -std=c++17
// EXPECT: race A B predicted
#include <mutex>
#include <string>
#include <thread>
#include "invisible.h"

std::mutex m;
std::string ones, others;
int x;

void work_with(std::string& own) {
  std::lock_guard<std::mutex> lock(m);
  own += "some text that is longer than what a string holds itself";
  own.append(own.substr(3, 4)).insert(2, "x");
  own.erase(1, 2);
  own.resize(own.size() + own.find("text") + (own.compare("other") != 0 ? 1 : 2));
}

int main() {
  std::thread t([] {
    x = 1;  // A
    work_with(ones);
    reach(1);
  });
  await(1);
  work_with(others);
  x = 2;  // B
  t.join();
}
