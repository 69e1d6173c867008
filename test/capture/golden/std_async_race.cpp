// The caller changes the input before it has waited for the result.
// EXPECT: race A B
#include <future>
#include "invisible.h"

int input;

int main() {
  auto result = std::async(std::launch::async, [] {
    const int value = input;  // A
    reach(1);
    return value;
  });
  await(1);
  input = 4;  // B
  use(result.get());
}
