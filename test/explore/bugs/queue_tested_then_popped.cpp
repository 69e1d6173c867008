/// \file
/// The queue is tested in one section, and popped in another.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int size = 1;

bool is_empty() {
  const Guard guard(m);
  return size == 0;
}
void pop() {
  const Guard guard(m);
  assert(size > 0);
  --size;
}
void consumer() {
  if (!is_empty()) pop();
}

int main() {
  run_all({consumer, consumer});
}
