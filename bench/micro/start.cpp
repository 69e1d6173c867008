/// \file
/// A C++ program that does nothing: the cost of starting and ending a process.
#include "../kernels/kernel.hpp"

int main() {
  return kernel::finish("start", 0);
}
