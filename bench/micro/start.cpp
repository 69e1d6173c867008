/// \file
/// A C++ program that does nothing: what starting and ending a process costs.
#include "../kernels/kernel.hpp"

int main() {
  return kernel::finish("start", 0);
}
