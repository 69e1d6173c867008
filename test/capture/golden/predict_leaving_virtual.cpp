// The object is called under another lock.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: race A B predicted
#ifdef LIBRARY
struct State {
  virtual void push() = 0;
  virtual int count() = 0;
};
struct Hidden : State {
  int pushed = 0;
  void push() override { pushed++; }
  int count() override { return pushed; }
};
State* make_state() {
  static Hidden hidden;
  return &hidden;
}
#else
#include <pthread.h>
#include "invisible.h"

struct State {
  virtual void push() = 0;
  virtual int count() = 0;
};
State* make_state();
static State* state;

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

static void* work(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  z = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&other);
  state->push();
  pthread_mutex_unlock(&other);
  reach(1);
  return unused;
}

int main() {
  state = make_state();
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  pthread_mutex_lock(&m);
  y = 1;
  pthread_mutex_unlock(&m);
  x = 2;  // B
  pthread_join(t, 0);
}
#endif
