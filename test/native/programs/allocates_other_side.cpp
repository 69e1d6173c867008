// A case that the run did not come to puts a job of its own into a queue under the lock, signals that, and counts
// without the lock.
#include <pthread.h>
#include <stdlib.h>

#include "order.hpp"

struct Job {
  int number;
  Job* next;
};
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int command, jobs;
Job* queue;
void put(int number) {
  Job* const job = static_cast<Job*>(malloc(sizeof(Job)));
  job->number = number;
  pthread_mutex_lock(&m);
  job->next = queue;
  queue = job;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&m);
  jobs = number;  // race in paths
}
void* first(void*) {
  pthread_mutex_lock(&m);
  command = 7;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  command = queue == nullptr ? 2 : 3;
  pthread_mutex_unlock(&m);
  jobs = 0;  // race in paths
  reach(1);
  return nullptr;
}
void* second(void*) {
  await(1);
  pthread_mutex_lock(&m);
  const int now = command;
  pthread_mutex_unlock(&m);
  if (now == 7) put(now);
  return nullptr;
}
int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, first, nullptr);
  pthread_create(&two, nullptr, second, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
