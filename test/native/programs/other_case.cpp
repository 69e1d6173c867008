// A case that the run did not come to calls a function with a loop, which goes through the table without the lock. What
// comes behind a call of code that is not interpreted is not looked at.
#include <pthread.h>
#include <stdlib.h>

#include "order.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int command;
int table[4];
int sum, hidden;
void add(int* from, int count) {
  for (int i = 0; i < count; ++i) {
    sum += from[i];  // race in paths
  }
}
void* first(void*) {
  pthread_mutex_lock(&m);
  command = 7;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  command = 2;
  pthread_mutex_unlock(&m);
  table[3] = 9;  // race in paths
  hidden = 1;
  reach(1);
  return nullptr;
}
void* second(void*) {
  await(1);
  pthread_mutex_lock(&m);
  const int now = command;
  pthread_mutex_unlock(&m);
  switch (now) {
    case 2:
      break;
    case 7:
      add(table, 4);
      break;
    default:
      if (abs(now) == 0) hidden = 2;
      break;
  }
  return nullptr;
}
int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, first, nullptr);
  pthread_create(&two, nullptr, second, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
