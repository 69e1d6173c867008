// A temporary FILE under a lock: its contents tell the reader that the plain data are ready.
// EXPECT: none
// OUTPUT: 9
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static FILE* file;
static int data;

int main() {
  file = std::tmpfile();
  if (file == nullptr) return 1;
  std::thread writer([] {
    data = 9;
    const std::lock_guard<std::mutex> lock(mutex);
    std::fputc('x', file);
  });
  for (;;) {
    long length = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      length = std::ftell(file);
    }
    if (length > 0) break;
    std::this_thread::yield();
  }
  std::printf("%d\n", data);
  writer.join();
  std::fclose(file);
}
