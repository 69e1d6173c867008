// Two threads count under a lock, and nothing depends on the counts: the sections order the writes of the run, and the
// program also runs with the sections in another order. A statistics counter, a sum, a maximum, an atomic.
// EXPECT: race A B predicted
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// ONLINE: misses A B a relation orders sections that read and write the same variable
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "invisible.h"

std::mutex mutex;
long count;
struct Statistics {
  int unrelated;
  double sum;
  unsigned most;
} statistics;
std::atomic<long> calls{0};
int x;

void note(int kind, unsigned value) {
  if (kind == 3) {
    calls.fetch_add(1);
    return;
  }
  const std::lock_guard<std::mutex> guard(mutex);
  if (kind == 0) count++;
  if (kind == 1) statistics.sum += value;
  if (kind == 2) statistics.most = std::max(statistics.most, value);
}

int main(int, char** arguments) {
  const int kind = std::atoi(arguments[1]);
  std::thread first([=] {
    x = 1;  // A
    note(kind, 1);
    reach(1);
  });
  std::thread second([=] {
    await(1);
    note(kind, 2);
    x = 2;  // B
  });
  first.join();
  second.join();
}
