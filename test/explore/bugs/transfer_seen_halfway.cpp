/// \file
/// A transfer in two sections; an audit between them misses money.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int from = 10;
int to = 0;

void transfer() {
  {
    const Guard guard(m);
    from -= 5;
  }
  const Guard guard(m);
  to += 5;
}
void audit() {
  const Guard guard(m);
  assert(from + to == 10);
}

int main() {
  run_all({transfer, audit});
}
