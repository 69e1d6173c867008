// A detached thread sleeps when main returns: it continues by itself, so program exit waits for it.
// EXPECT: race A B
#include <chrono>
#include <thread>

int x;

int main() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    x = 1;  // A
  }).detach();
  x = 2;  // B
}
