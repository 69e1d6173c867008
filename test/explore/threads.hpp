/// \file
/// Shared by the programs of this folder: runs functions in threads of their own.
#pragma once

#undef NDEBUG
#include <pthread.h>

#include <cassert>
#include <initializer_list>

using Body = void (*)();

inline void* call_body(void* body) {
  reinterpret_cast<Body>(body)();
  return nullptr;
}

/// Starts all of them, and waits for their ends.
inline void run_all(std::initializer_list<Body> bodies) {
  pthread_t threads[8];
  int count = 0;
  for (const Body body : bodies) pthread_create(&threads[count++], nullptr, call_body, reinterpret_cast<void*>(body));
  while (count > 0) pthread_join(threads[--count], nullptr);
}

struct Guard {
  explicit Guard(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Guard() { pthread_mutex_unlock(&mutex_); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  pthread_mutex_t& mutex_;
};
