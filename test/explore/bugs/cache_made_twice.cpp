/// \file
/// Looked up in one section, inserted in another.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int entries = 0;
bool known = false;

bool find() {
  const Guard guard(m);
  return known;
}
void insert() {
  const Guard guard(m);
  known = true;
  ++entries;
}
void user() {
  if (!find()) insert();
}

int main() {
  run_all({user, user, user});
  assert(entries == 1);
}
