// The consumer takes what the producer filled in; any count above 0 leads it there.
#include <unistd.h>

#include <mutex>
#include <thread>

std::mutex m;
int count, data, seen;
void producer() {
  for (int i = 0; i < 2; ++i) {
    {
      const std::lock_guard<std::mutex> guard(m);
      count = i + 1;
    }
    if (i == 0) data = 7;  // race by relax
  }
}
void consumer() {
  usleep(200'000);
  int available = 0;
  {
    const std::lock_guard<std::mutex> guard(m);
    available = count;
  }
  if (available > 0) seen = data;  // race by relax
}
int main() {
  std::thread one(producer), two(consumer);
  one.join();
  two.join();
}
