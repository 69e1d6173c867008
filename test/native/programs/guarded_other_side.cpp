// The other side of the branch takes the lock that guards x, in a function of its own. There is no race in any model.
#include <pthread.h>

#include "order.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int mode;
int x;
void change(int by) {
  pthread_mutex_lock(&m);
  x += by;
  pthread_mutex_unlock(&m);
}
void* first(void*) {
  pthread_mutex_lock(&m);
  x = 1;
  mode = 1;
  pthread_mutex_unlock(&m);
  reach(1);
  return nullptr;
}
void* second(void*) {
  await(1);
  pthread_mutex_lock(&m);
  const int now = mode;
  pthread_mutex_unlock(&m);
  if (now == 0) change(2);
  return nullptr;
}
int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, first, nullptr);
  pthread_create(&two, nullptr, second, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
