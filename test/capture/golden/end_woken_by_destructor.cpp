// The destructor of a static object wakes its thread and does not join it: its later accesses are seen too.
// EXPECT: race A B
#include <condition_variable>
#include <mutex>
#include <thread>

int x;

struct Worker {
  std::mutex m;
  std::condition_variable c;
  bool stops = false;

  void start() {
    std::thread([this] {
      std::unique_lock lock(m);
      c.wait(lock, [this] { return stops; });
      lock.unlock();
      x = 1;  // A
    }).detach();
  }
  ~Worker() {
    {
      const std::lock_guard lock(m);
      stops = true;
    }
    c.notify_all();
    x = 2;  // B
  }
};

// Never destroyed: the thread uses it to its end.
alignas(Worker) static char memory[sizeof(Worker)];
struct Stopper {
  ~Stopper() { reinterpret_cast<Worker*>(memory)->~Worker(); }
} stopper;

int main() {
  (new (memory) Worker)->start();
}
