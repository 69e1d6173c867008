/// \file
/// Common code of the kernels: `KERNEL [SIZE [THREADS]]`, starting threads, random numbers, the printed checksum. A
/// kernel is a small program without races whose checksum does not depend on the schedule; bench/online.py builds it
/// for every detector. Everything here is in the header, so that it is instrumented like the rest.
#pragma once

#include <pthread.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace kernel {

struct Settings {
  size_t size;
  size_t threads;
};

inline Settings settings(int argc, char** argv, size_t size) {
  Settings chosen{size, 2};
  if (argc > 1) chosen.size = std::strtoul(argv[1], nullptr, 10);
  if (argc > 2) chosen.threads = std::strtoul(argv[2], nullptr, 10);
  if (chosen.size == 0 || chosen.threads == 0) {
    std::fprintf(stderr, "usage: %s [SIZE [THREADS]]\n", argv[0]);
    std::exit(64);
  }
  return chosen;
}

/// Calls work(id) in `threads` threads, and waits for all of them.
template <typename Work>
void parallel(size_t threads, Work work) {
  std::vector<std::thread> all;
  for (size_t id = 0; id < threads; id++) all.emplace_back(work, id);
  for (std::thread& each : all) each.join();
}

/// The part of [0, size) that thread `id` works on.
struct Part {
  size_t begin;
  size_t end;
};
inline Part part(size_t size, size_t id, size_t threads) {
  return {size * id / threads, size * (id + 1) / threads};
}

/// splitmix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t limit) { return next() % limit; }
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

class Barrier {
 public:
  explicit Barrier(size_t threads) { pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads)); }
  ~Barrier() { pthread_barrier_destroy(&barrier_); }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  void wait() { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_;
};

inline uint64_t mix(uint64_t sum, uint64_t value) {
  return (std::rotl(sum, 5) ^ value) * 0x9e3779b97f4a7c15;
}

/// Hashes doubles to six digits: a compiler may contract or reorder differently with and without instrumentation.
inline uint64_t digest(const std::vector<double>& values) {
  double sum = 0;
  double weighted = 0;
  for (size_t i = 0; i < values.size(); i++) {
    sum += values[i];
    weighted += values[i] * static_cast<double>(i % 7);
  }
  char text[80];
  std::snprintf(text, sizeof text, "%.5e %.5e", sum, weighted);
  uint64_t result = 0;
  for (const char* at = text; *at != 0; at++) result = mix(result, static_cast<unsigned char>(*at));
  return result;
}

inline int finish(const char* name, uint64_t checksum) {
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(checksum));
  return 0;
}

}  // namespace kernel
