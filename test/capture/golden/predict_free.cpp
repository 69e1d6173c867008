// One thread deletes an object that the other has used; only a logger's lock orders the two.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex log_lock;

int main() {
  auto* item = new long(5);
  std::thread user([item] {
    use(*item);  // A
    log_lock.lock();
    log_lock.unlock();
    reach(1);
  });
  std::thread owner([item] {
    await(1);
    log_lock.lock();
    log_lock.unlock();
    delete item;  // B
  });
  user.join();
  owner.join();
}
