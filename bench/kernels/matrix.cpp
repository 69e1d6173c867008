/// \file
/// Dense matrix multiplication: each thread owns rows of the result, all read both factors. No synchronisation between
/// start and end, long stretches of consecutive accesses.
#include "kernel.hpp"

int main(int argc, char** argv) {
  const auto [n, threads] = kernel::settings(argc, argv, 1200);
  std::vector<double> a(n * n), b(n * n), c(n * n);
  kernel::Random random(1);
  for (double& each : a) each = random.real();
  for (double& each : b) each = random.real();

  kernel::parallel(threads, [&, n = n, threads = threads](size_t id) {
    const auto [begin, end] = kernel::part(n, id, threads);
    for (size_t i = begin; i < end; i++) {
      for (size_t k = 0; k < n; k++) {
        const double factor = a[i * n + k];
        for (size_t j = 0; j < n; j++) c[i * n + j] += factor * b[k * n + j];
      }
    }
  });
  return kernel::finish("matrix", kernel::digest(c));
}
