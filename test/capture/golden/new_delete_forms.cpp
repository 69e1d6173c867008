// Every form of operator new and delete: array, aligned, nothrow, placement; memory goes from thread to thread.
// EXPECT: none
#include <malloc.h>

#include <new>
#include <thread>
#include "invisible.h"

struct alignas(64) Wide {
  long values[40];
};

static void churn() {
  for (int i = 0; i < 30; ++i) {
    auto* a = new long[500];
    auto* b = new Wide;
    auto* c = new Wide[3];
    auto* d = new (std::nothrow) long[600];
    auto* e = new (std::align_val_t{128}) char[4096];
    a[7] = b->values[3] = c[2].values[5] = d[599] = e[9] = 1;
    auto* f = new (e) long(5);
    use(*f);
    delete[] a;
    delete b;
    delete[] c;
    delete[] d;
    ::operator delete[](e, std::align_val_t{128});
  }
}

int main() {
  mallopt(M_ARENA_MAX, 1);
  std::thread a([] {
    churn();
    reach(1);
  });
  std::thread b([] {
    await(1);
    churn();
  });
  a.join();
  b.join();
}
