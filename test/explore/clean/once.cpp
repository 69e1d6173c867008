/// \file
/// pthread_once.
#include "threads.hpp"

pthread_once_t flag = PTHREAD_ONCE_INIT;
int made = 0;

void make() {
  ++made;
}
void once() {
  pthread_once(&flag, make);
  assert(made == 1);
}

int main() {
  run_all({once, once, once});
}
