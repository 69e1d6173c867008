/// \file
/// The same test without one.
#include <atomic>
#include <thread>

std::atomic<int> last;

int main() {
  std::thread a([] { last = 1; });
  std::thread b([] { last = 2; });
  a.join();
  b.join();
  return 0;
}
