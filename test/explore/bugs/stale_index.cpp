/// \file
/// An index that was checked in one section is used in another.
// finds: crash
#include <vector>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

std::vector<int> items(2);

std::size_t last() {
  const Guard guard(m);
  return items.size() - 1;
}
void use() {
  const std::size_t at = last();
  const Guard guard(m);
  items.at(at) = 1;
}
void shrink() {
  const Guard guard(m);
  items.pop_back();
}

int main() {
  run_all({use, shrink});
}
