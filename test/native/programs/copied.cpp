// A structure is copied without the lock: each part of it is an access at the line of the copy.
#include <pthread.h>

#include "order.hpp"

struct Entry {
  long key;
  int values[20];
  char name[12];
};
Entry entry;
void* first(void*) {
  Entry made{};
  made.key = 1;
  entry = made;  // race in ca
  reach(1);
  return nullptr;
}
void* second(void*) {
  await(1);
  const Entry taken = entry;  // race in ca
  return reinterpret_cast<void*>(taken.key + taken.values[3]);
}
int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, first, nullptr);
  pthread_create(&two, nullptr, second, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
