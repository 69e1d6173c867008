// A lambda captures a structure by reference; its members are handed over under a lock that is one of them.
// EXPECT: none
// CONFIRM: none
#include <mutex>
#include <thread>
#include "invisible.h"

int x;

int main() {
  struct {
    std::mutex lock;
    int unused = 0;
    bool ready = false;
  } shared;
  std::thread writer([&shared] {
    x = 1;
    std::lock_guard<std::mutex> guard(shared.lock);
    shared.ready = true;
    reach(1);
  });
  await(1);
  bool ready = false;
  {
    std::lock_guard<std::mutex> guard(shared.lock);
    ready = shared.ready;
  }
  if (ready) x = 2;
  writer.join();
}
