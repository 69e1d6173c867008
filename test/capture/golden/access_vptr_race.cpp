// A virtual call races with the destructor's change of the table pointer.
// EXPECT: race A B
#include <new>
#include <thread>
#include "invisible.h"

struct Base {
  virtual ~Base() {  // B
    reach(1);
    await(2);
  }
  virtual int f() { return 1; }
};

struct Derived : Base {
  int f() override { return 2; }
};

alignas(Derived) static char place[sizeof(Derived)];

int main() {
  Base* object = new (place) Derived;
  std::thread t([object] {
    await(1);
    use(object->f());  // A
    reach(2);
  });
  object->~Base();
  t.join();
}
