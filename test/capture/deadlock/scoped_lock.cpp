// std::scoped_lock and std::lock take several locks without a deadlock, in whatever order they are named.
// expect: quiet
#include <mutex>
#include <thread>

namespace {

std::mutex left, right;
int count;

void one() {
  const std::scoped_lock both(left, right);
  ++count;
}

void two() {
  std::unique_lock<std::mutex> first(right, std::defer_lock);
  std::unique_lock<std::mutex> second(left, std::defer_lock);
  std::lock(first, second);
  ++count;
}

}  // namespace

int main() {
  std::thread a(one);
  std::thread b(two);
  a.join();
  b.join();
}
