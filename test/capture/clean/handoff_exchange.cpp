// One object goes round through an atomic pointer; the thread that exchanges it out is its only owner.
// EXPECT: none
// OUTPUT: 900
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Ball {
  long hits = 0;
  char name[16] = "ball";
};
static std::atomic<Ball*> place{nullptr};

int main() {
  std::vector<std::thread> players;
  for (int t = 0; t < 3; ++t)
    players.emplace_back([] {
      for (int hits = 0; hits < 300;) {
        Ball* const ball = place.exchange(nullptr, std::memory_order_acq_rel);
        if (ball == nullptr) {
          std::this_thread::yield();
          continue;
        }
        ++ball->hits;
        ball->name[hits % 15] = 'x';
        ++hits;
        place.store(ball, std::memory_order_release);
      }
    });
  place.store(new Ball, std::memory_order_release);
  for (auto& player : players) player.join();
  std::printf("%ld\n", place.load()->hits);
  delete place.load();
}
