/// \file
/// LU decomposition without pivoting: in each step all threads read the pivot's row and update rows of their own,
/// assigned round-robin. A barrier after each step.
#include "kernel.hpp"

int main(int argc, char** argv) {
  const auto [n, threads] = kernel::settings(argc, argv, 1500);
  std::vector<double> a(n * n);
  kernel::Random random(6);
  for (double& each : a) each = random.real();
  for (size_t i = 0; i < n; i++) a[i * n + i] += static_cast<double>(n);
  kernel::Barrier barrier(threads);

  kernel::parallel(threads, [&, n = n, threads = threads](size_t id) {
    for (size_t k = 0; k < n; k++) {
      for (size_t i = k + 1; i < n; i++) {
        if (i % threads != id) continue;
        const double factor = a[i * n + k] /= a[k * n + k];
        for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      }
      barrier.wait();
    }
  });
  return kernel::finish("lu", kernel::digest(a));
}
