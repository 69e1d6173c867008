// As predict_blind_sections.cpp, but the second section reads what the first one wrote, and then decides.
// So the sections keep their order in every schedule that has both accesses.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

std::mutex m;
int last_user;
int x;

static void first() {
  x = 1;
  {
    const std::lock_guard hold(m);
    last_user = 1;
  }
  reach(1);
}

static void second() {
  await(1);
  {
    const std::lock_guard hold(m);
    if (last_user != 1) return;
  }
  x = 2;
}

int main() {
  std::thread one(first);
  std::thread other(second);
  one.join();
  other.join();
}
