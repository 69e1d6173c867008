// Two threads repeatedly write new memory at the same moment: each pair of writes races.
#include <pthread.h>
#include <stdatomic.h>

enum { kTimes = 2000 };

struct {
  _Alignas(64) int value;
} places[kTimes];
static atomic_int arrived;

static void* work(void* unused) {
  for (int i = 0; i < kTimes; ++i) {
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    while (atomic_load_explicit(&arrived, memory_order_relaxed) < 2 * (i + 1)) {
    }
    places[i].value = 1;
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
