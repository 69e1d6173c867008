// A write races with another thread's read; later its own thread reads a neighbour, which replaces it in the shadow.
// The last writer still races with the reader, even if other threads are ordered after the reader.
// EXPECT: race A B
// EXPECT: race B C
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex known_to_last, known_to_writer, own;
alignas(8) unsigned char bytes[8];

int main() {
  std::thread writer([] {
    known_to_last.lock();
    bytes[1] = 1;  // A
    known_to_last.unlock();
    reach(1);
    await(2);
    known_to_writer.lock();
    known_to_writer.unlock();
    use(bytes[2]);
    reach(3);
  });
  std::thread reader([] {
    await(1);
    own.lock();  // a new epoch, later than the write's: of several earlier accesses the latest is named
    own.unlock();
    use(bytes[1]);  // B
    known_to_writer.lock();
    known_to_writer.unlock();
    reach(2);
  });
  await(3);
  known_to_last.lock();
  known_to_last.unlock();
  bytes[1] = 2;  // C
  reader.join();
  writer.join();
}
