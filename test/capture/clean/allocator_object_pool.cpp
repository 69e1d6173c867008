// Objects of a pool are made and destroyed in place; the pool's vector is guarded, the objects are not.
// EXPECT: none
// OUTPUT: 600
#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct Session {
  explicit Session(int id) : name("session " + std::to_string(id)), id(id) {}
  std::string name;
  int id;
};
static std::mutex mutex;
static std::vector<void*> pool;
static std::atomic<int> made{0};

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        void* memory = nullptr;
        {
          const std::lock_guard<std::mutex> lock(mutex);
          if (!pool.empty()) {
            memory = pool.back();
            pool.pop_back();
          }
        }
        if (memory == nullptr) memory = ::operator new(sizeof(Session));
        Session* const session = new (memory) Session(i);
        made += session->name.empty() ? 0 : 1;
        session->~Session();
        const std::lock_guard<std::mutex> lock(mutex);
        pool.push_back(memory);
      }
    });
  for (auto& thread : threads) thread.join();
  for (void* memory : pool) ::operator delete(memory);
  std::printf("%d\n", made.load());
}
