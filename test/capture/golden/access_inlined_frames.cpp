// The racing accesses are in functions that are inlined: the lines are those of the access.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

class Counter {
 public:
  __attribute__((always_inline)) void set(int value) {
    value_ = value;  // A
  }
  __attribute__((always_inline)) int get() const {
    return value_;  // B
  }

 private:
  int value_ = 0;
};
Counter counter;

int main() {
  std::thread t([] {
    counter.set(1);
    reach(1);
  });
  await(1);
  use(counter.get());
  t.join();
}
