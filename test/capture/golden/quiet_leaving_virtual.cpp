// The object behind an interface belongs to a library that is not instrumented.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: none
// OUTPUT: 42
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
#include <sched.h>
#include <stdio.h>

struct State {
  virtual void push() = 0;
  virtual int count() = 0;
};
State* make_state();
static State* state;

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int result;

static void* produce(void* unused) {
  result = 42;
  pthread_mutex_lock(&m);
  state->push();
  pthread_mutex_unlock(&m);
  return unused;
}

int main() {
  state = make_state();
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&m);
    done = state->count() != 0;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  printf("%d\n", result);
  pthread_join(t, 0);
}
#endif
