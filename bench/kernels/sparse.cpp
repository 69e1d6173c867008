/// \file
/// Repeated sparse matrix times vector (the power method): all threads read the vector at random positions, then all
/// write it, each its own part, between two barriers. Read-shared data that becomes exclusive again.
#include <algorithm>
#include <cmath>

#include "kernel.hpp"

namespace {

constexpr size_t kRounds = 100;
constexpr size_t kPerRow = 12;

/// Compressed sparse rows.
struct Sparse {
  std::vector<size_t> start;
  std::vector<uint32_t> column;
  std::vector<double> value;
};

Sparse random_matrix(size_t rows) {
  Sparse matrix;
  kernel::Random random(2);
  matrix.start.push_back(0);
  for (size_t row = 0; row < rows; row++) {
    for (size_t entry = 0; entry < kPerRow; entry++) {
      matrix.column.push_back(static_cast<uint32_t>(random.below(rows)));
      matrix.value.push_back(random.real());
    }
    matrix.start.push_back(matrix.column.size());
  }
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  const auto [rows, threads] = kernel::settings(argc, argv, 150000);
  const Sparse matrix = random_matrix(rows);
  std::vector<double> x(rows, 1.0), y(rows);
  kernel::Barrier barrier(threads);

  kernel::parallel(threads, [&, rows = rows, threads = threads](size_t id) {
    const auto [begin, end] = kernel::part(rows, id, threads);
    for (size_t round = 0; round < kRounds; round++) {
      for (size_t row = begin; row < end; row++) {
        double sum = 0;
        for (size_t at = matrix.start[row]; at < matrix.start[row + 1]; at++) {
          sum += matrix.value[at] * x[matrix.column[at]];
        }
        y[row] = sum;
      }
      barrier.wait();
      for (size_t row = begin; row < end; row++) x[row] = y[row] / kPerRow;
      barrier.wait();
    }
  });
  return kernel::finish("sparse", kernel::digest(x));
}
