// Between two commands of the first thread the second would find one that the run did not come to. It then allocates
// an entry, hangs it into the list, goes through the list, and counts without the lock.
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <thread>

struct Entry {
  int key;
  Entry* next;
};
std::mutex m, list_lock;
Entry* list;
int command, entries;
void add(int key) {
  int* const copy = static_cast<int*>(std::calloc(2, sizeof(int)));
  copy[1] = key;
  Entry* const entry = new Entry{copy[0] + copy[1], nullptr};
  std::free(copy);
  int keys = 0;
  {
    const std::lock_guard<std::mutex> guard(list_lock);
    entry->next = list;
    list = entry;
    if (list != nullptr) keys += list->key;
  }
  entries = keys;  // race by paths
}
void first() {
  {
    const std::lock_guard<std::mutex> guard(m);
    command = 7;
  }
  {
    const std::lock_guard<std::mutex> guard(m);
    command = 1;
  }
  const std::lock_guard<std::mutex> guard(list_lock);
  entries = list == nullptr ? 0 : 1;  // race by paths
}
void second() {
  usleep(200'000);
  int now = 0;
  {
    const std::lock_guard<std::mutex> guard(m);
    now = command;
  }
  if (now == 7) add(now);
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
