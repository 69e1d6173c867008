// Readers read under the shared lock what the writer wrote under the exclusive one, and then trust it.
// EXPECT: none
#include <mutex>
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
static int generation;
int table[4];

int main() {
  std::thread writer([] {
    table[2] = 7;
    std::unique_lock lock(m);
    generation = 1;
    reach(1);
  });
  auto read = [] {
    await(1);
    int seen = 0;
    {
      std::shared_lock lock(m);
      seen = generation;
    }
    if (seen == 1) use(table[2]);
  };
  std::thread a(read), b(read);
  writer.join();
  a.join();
  b.join();
}
