// A program queries what its addresses belong to. There is no report to query while it runs.
// EXPECT: none
// ONLINE: skip the answers are looked up in the recording, and there is none
// PEER: skip freed memory is something else to it
#include <cstdlib>
#include <cstring>
#include <thread>

extern "C" {
__attribute__((weak)) const char* __tsan_locate_address(void* address, char* name, std::size_t room, void** begin,
                                                        std::size_t* bytes);
__attribute__((weak)) int __tsan_get_alloc_stack(void* address, void** places, std::size_t most, int* thread,
                                                 unsigned long* system_id);
__attribute__((weak)) void* __tsan_get_current_report();
}

long a_global[3];

static bool is(void* address, const char* kind, void* begin, std::size_t bytes, const char* called) {
  if (__tsan_locate_address == nullptr) return true;
  char name[64];
  void* where = nullptr;
  std::size_t size = 0;
  const char* const found = __tsan_locate_address(address, name, sizeof name, &where, &size);
  return std::strcmp(found, kind) == 0 && std::strcmp(name, called) == 0 &&
         (begin == nullptr || (where == begin && size == bytes));
}

int main() {
  char* block = nullptr;
  std::thread([&] { block = static_cast<char*>(std::malloc(10)); }).join();
  int local = 0;
  if (!is(block + 4, "heap", block, 10, "")) return 1;
  if (!is(&a_global[1], "global", a_global, sizeof a_global, "a_global")) return 2;
  if (!is(&local, "stack", nullptr, 0, "")) return 3;
  if (__tsan_get_current_report != nullptr && __tsan_get_current_report() != nullptr) return 4;
  if (__tsan_get_alloc_stack != nullptr) {
    void* places[16] = {};
    int thread = -1;
    unsigned long system_id = 0;
    const int count = __tsan_get_alloc_stack(block, places, 16, &thread, &system_id);
    if (count < 1 || places[0] == nullptr || thread != 1 || system_id == 0) return 5;
  }
  std::free(block);
  if (!is(block, "", nullptr, 0, "")) return 6;
}
