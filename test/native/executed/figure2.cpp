// RECIPE, Figure 2, with an atomic s1.f. What is written in the branch races only if the sum is of 3, not of the
// recorded 2.
#include <unistd.h>

#include <atomic>
#include <thread>

struct First {
  std::atomic<int> f;
};
struct Second {
  int f;
};
First s1;
Second s2;
void first() {
  s1.f.store(3);
  s2.f = 1;  // race by relax
  s1.f.store(2);
}
void second() {
  usleep(200'000);
  const int z = 10;
  const int sum = s1.f.load() + z;
  if (sum > 11) {
    s2.f = sum;  // race by relax
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
