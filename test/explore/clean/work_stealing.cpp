/// \file
/// The owner takes the last item by a compare-exchange, as thieves do.
#include <atomic>

#include "threads.hpp"

std::atomic<int> top{0};
std::atomic<int> bottom{2};
std::atomic<int> taken[2];

void take(int item) {
  assert(taken[item].fetch_add(1) == 0);
}
void owner() {
  for (int i = 0; i < 2; ++i) {
    const int at = bottom - 1;
    bottom = at;
    int first = top;
    if (first < at) {
      take(at);
    } else {
      if (first == at && top.compare_exchange_strong(first, first + 1)) take(at);
      bottom = at + 1;
    }
  }
}
void thief() {
  int at = top;
  if (at < bottom && top.compare_exchange_strong(at, at + 1)) take(at);
}

int main() {
  run_all({owner, thief});
}
