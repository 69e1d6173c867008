/// \file
/// Random numbers that are the same on every platform and compiler: splitmix64, whose state is one word.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omen::judges {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// From 0 to n - 1; n > 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  bool percent(std::size_t chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

}  // namespace omen::judges
