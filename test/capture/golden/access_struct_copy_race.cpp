// A struct is copied whole while one of its members is written.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

struct State {
  long values[8];
};
State state, snapshot;

int main() {
  std::thread t([] {
    snapshot = state;  // A
    reach(1);
  });
  await(1);
  state.values[6] = 1;  // B
  t.join();
}
