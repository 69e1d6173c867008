// The count is thread-safe, the pointer itself is not: one thread copies while another assigns.
// EXPECT: race A B
#include <memory>
#include <thread>
#include "invisible.h"

std::shared_ptr<int> shared = std::make_shared<int>(1);

int main() {
  std::thread t([] {
    use(shared.get() != nullptr);  // A
    reach(1);
  });
  await(1);
  shared = nullptr;  // B
  t.join();
}
