/// \file
/// Where an analysis' memory comes from, and how threads share it. Offline it is the C++ library's, and one thread
/// drives an analysis. Inside a running program the analysis must not touch the program's allocator, nor anything else
/// of its C++ library, and every thread of the program drives its own part: the build of the runtime names a header of
/// its own (capture/runtime/detector/arena.hpp) that defines
/// - `Allocator` and `check_failed`;
/// - `Table`: a vector indexed by ids. In the runtime its elements never move, so that one thread may use an element
///   while another adds one;
/// - `DataLock`: guards what the holders of different program locks share. Offline it does nothing.
#pragma once

#include <memory>
#include <vector>

#ifdef OMEN_ANALYSIS_MEMORY
#include OMEN_ANALYSIS_MEMORY
#else
namespace omen {
template <class T>
using Allocator = std::allocator<T>;
template <class T>
using Table = std::vector<T>;

struct DataLock {
  void lock() {}
  void unlock() {}
};
}  // namespace omen
#endif

namespace omen {

template <class T>
using Vector = std::vector<T, Allocator<T>>;

class DataGuard {
 public:
  explicit DataGuard(DataLock& lock) : lock_(lock) { lock_.lock(); }
  ~DataGuard() { lock_.unlock(); }
  DataGuard(const DataGuard&) = delete;
  DataGuard& operator=(const DataGuard&) = delete;

 private:
  DataLock& lock_;
};

}  // namespace omen
