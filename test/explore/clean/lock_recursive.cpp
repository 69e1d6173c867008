/// \file
/// The same with a recursive mutex.
#include "threads.hpp"

pthread_mutex_t m;
int listeners = 0;

void add() {
  const Guard guard(m);
  ++listeners;
}
void notify() {
  const Guard guard(m);
  if (listeners > 0) add();
}

int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attributes);
  run_all({notify, add});
}
