// Sixteen-byte atomics.
// BUILD: -mcx16 -latomic
// COMPILER: clang GCC leaves them to libatomic, which no instrumentation sees
// EXPECT: none
// OUTPUT: 42
#include <cstdio>
#include <thread>

alignas(16) static __int128 flag;
static int data;

int main() {
  std::thread t([] {
    data = 42;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  });
  while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  std::printf("%d\n", data);
  t.join();
}
