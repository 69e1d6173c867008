// Between two commands of the first thread the second would find one that the run did not come to. It then wakes
// whoever waits for its answer, and writes behind that.
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex m, answer_lock;
std::condition_variable answered;
int command, answer, answers;
void reply(int to) {
  {
    const std::lock_guard<std::mutex> guard(answer_lock);
    answer = to;
    answered.notify_one();
  }
  answered.notify_all();
  answers = to;  // race by paths
}
void first() {
  {
    const std::lock_guard<std::mutex> guard(m);
    command = 7;
  }
  {
    const std::lock_guard<std::mutex> guard(m);
    command = 1;
  }
  const std::lock_guard<std::mutex> guard(answer_lock);
  answers = answer;  // race by paths
}
void second() {
  usleep(200'000);
  int now = 0;
  {
    const std::lock_guard<std::mutex> guard(m);
    now = command;
  }
  if (now == 7) reply(now);
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
