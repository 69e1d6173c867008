// Arguments are copied into the thread; std::ref and results are ordered by join; moved handles too.
// EXPECT: none
// OUTPUT: hello!! 3
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>

int main() {
  std::string text = "hello";
  int size = 0;
  std::thread a([](std::string& out, const std::string& tail) { out += tail; }, std::ref(text), "!!");
  std::thread moved = std::move(a);
  std::thread b([&size](int value) { size = value; }, 3);
  moved.join();
  b.join();
  std::printf("%s %d\n", text.c_str(), size);
}
