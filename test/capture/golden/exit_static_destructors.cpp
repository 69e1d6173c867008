// A thread uses an object that a static destructor destroys at exit.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

struct Log {
  ~Log() {
    use(open);  // B
  }
  int open = 1;
};

static Log logger;

int main() {
  std::thread([] {
    logger.open = 2;  // A
    reach(1);
  }).detach();
  await(1);
}
