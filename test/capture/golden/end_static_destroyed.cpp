// A thread still works on a static object when main returns. It does so before the object is destroyed, since the end
// waits for it before anything is destroyed; the destruction races with it all the same.
// PEER: skip it waits only after the destruction, and names the use of freed memory
// EXPECT: race A B
#include <chrono>
#include <thread>

struct Registry {
  int* entries = new int[4]();
  ~Registry() {
    entries[0] = -1;  // B
    delete[] entries;
  }
};
Registry registry;

int main() {
  int* const entries = registry.entries;
  std::thread([entries] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    entries[0] = 1;  // A
  }).detach();
}
