// A write after set_value is not ordered before the return of get.
// EXPECT: race A B
#include <future>
#include <thread>
#include "invisible.h"

int late;

int main() {
  std::promise<void> promise;
  auto future = promise.get_future();
  std::thread t([&] {
    promise.set_value();
    late = 1;  // A
    reach(1);
  });
  future.get();
  await(1);
  use(late);  // B
  t.join();
}
