// An uncaught exception ends the program as it would without a recorder.
// EXPECT: none
// EXIT: signal 6
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex m;

int main() {
  std::thread t([] {
    std::lock_guard lock(m);
    throw std::runtime_error("nobody catches this");
  });
  t.join();
}
