/// \file
/// Virtual calls inside critical sections that the compiler cannot devirtualise.
#include <array>
#include <memory>

#include "sections.hpp"

namespace {

class Step {
 public:
  virtual ~Step() = default;
  virtual uint64_t apply(uint64_t value) const = 0;
};

template <uint64_t kFactor>
class Multiply : public Step {
 public:
  uint64_t apply(uint64_t value) const override { return value * kFactor + 1; }
};

std::unique_ptr<Step> make(size_t kind) {
  if (kind == 0) return std::make_unique<Multiply<3>>();
  if (kind == 1) return std::make_unique<Multiply<5>>();
  return std::make_unique<Multiply<7>>();
}

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 300000);
  std::array<std::unique_ptr<Step>, 12> steps;
  for (size_t i = 0; i < steps.size(); i++) steps[i] = make(i * 5 % 3);
  const uint64_t sum = micro::sections(size, threads, [&](uint64_t& value) {
    uint64_t own = value;
    for (const std::unique_ptr<Step>& step : steps) own = step->apply(own);
    value = own;
  });
  return kernel::finish("virtual_calls", sum);
}
