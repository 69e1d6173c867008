// As predict_counter, but the count decides what the second thread does: by a branch on it, by an index, in a function
// that it is passed to, through other memory, through a third thread, and where the thread has counted itself before.
// EXPECT: none
// CONFIRM: none
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// RUN: 4
// RUN: 5
// RUN: 6
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "invisible.h"

std::mutex mutex;
int count;
int copy;
std::atomic<int> calls{0};
int x[4];

__attribute__((noinline)) void write_if(int seen) {
  if (seen == 2) x[0] = 2;
}

__attribute__((noinline)) int counted() {
  const std::lock_guard<std::mutex> guard(mutex);
  return ++count;
}

__attribute__((noinline)) void add() {
  const std::lock_guard<std::mutex> guard(mutex);
  count++;
}

__attribute__((noinline)) int look() {
  const std::lock_guard<std::mutex> guard(mutex);
  return count;
}

void second_thread(int kind) {
  int seen = 0;
  switch (kind) {
    case 0:
      if (counted() == 2) x[0] = 2;
      return;
    case 1:
      add();
      x[2 - look()] = 2;
      return;
    case 2:
      add();
      write_if(look());
      return;
    case 3: {
      {
        const std::lock_guard<std::mutex> guard(mutex);
        count++;
        copy = count;
      }
      const std::lock_guard<std::mutex> guard(mutex);
      seen = copy;
    }
      if (seen == 2) x[0] = 2;
      return;
    case 4:
      add();
      return;
    case 5:
      add();
      add();
      if (look() == 3) x[0] = 2;
      return;
    default:
      calls.fetch_add(1);
      if (calls.load() == 2) x[0] = 2;
      return;
  }
}

int main(int, char** arguments) {
  const int kind = std::atoi(arguments[1]);
  std::thread first([=] {
    x[0] = 1;
    if (kind == 6) {
      calls.fetch_add(1);
    } else {
      add();
    }
    reach(1);
  });
  std::thread second([=] {
    await(1);
    second_thread(kind);
    reach(2);
  });
  std::thread third([=] {
    if (kind != 4) return;
    await(2);
    if (look() == 2) x[0] = 3;
  });
  first.join();
  second.join();
  third.join();
}
