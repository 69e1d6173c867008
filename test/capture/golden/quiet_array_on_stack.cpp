// Slots of a std::array on a thread's stack are handed over under a lock, by index.
// EXPECT: none
// CONFIRM: none
#include <array>
#include <mutex>
#include <thread>
#include "invisible.h"

struct Slots {
  std::array<int, 8> full{};
  std::array<int, 8> data{};
};

static std::mutex m;
int x;

static void fill(Slots* slots) {
  x = 1;
  slots->data[3] = 7;
  std::lock_guard<std::mutex> guard(m);
  slots->full[3] = 1;
  reach(1);
}

int main() {
  Slots slots;
  std::thread writer(fill, &slots);
  await(1);
  int full = 0;
  {
    std::lock_guard<std::mutex> guard(m);
    full = slots.full[3];
  }
  if (full != 0) {
    x = slots.data[3];
    slots.data[3] = 0;
  }
  writer.join();
}
