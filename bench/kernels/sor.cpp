/// \file
/// Successive over-relaxation on a grid, red and black points in turn, a barrier after each colour: neighbours' rows
/// are shared at the edge of each thread's part.
#include "kernel.hpp"

namespace {
constexpr size_t kRounds = 60;
constexpr double kOmega = 1.25;
}  // namespace

int main(int argc, char** argv) {
  const auto [n, threads] = kernel::settings(argc, argv, 1500);
  std::vector<double> grid(n * n);
  kernel::Random random(7);
  for (double& each : grid) each = random.real();
  kernel::Barrier barrier(threads);

  kernel::parallel(threads, [&, n = n, threads = threads](size_t id) {
    const auto [begin, end] = kernel::part(n - 2, id, threads);
    for (size_t turn = 0; turn < 2 * kRounds; turn++) {
      for (size_t row = begin + 1; row < end + 1; row++) {
        for (size_t column = 1 + (row + turn) % 2; column < n - 1; column += 2) {
          double& point = grid[row * n + column];
          const double around =
              (&point)[-1] + (&point)[1] + grid[(row - 1) * n + column] + grid[(row + 1) * n + column];
          point = (1 - kOmega) * point + kOmega / 4 * around;
        }
      }
      barrier.wait();
    }
  });
  return kernel::finish("sor", kernel::digest(grid));
}
