/// \file
/// The memory of an analysis, and how threads share it. Offline it comes from the C++ library, and one thread drives an
/// analysis. The online detector must not use the program's allocator, nor the rest of its C++ library, and every
/// thread of the program drives its own part. So the build of the runtime names its own header
/// (capture/runtime/detector/arena.hpp), which defines
/// - `Allocator` and `check_failed`;
/// - `Table`: a vector indexed by ids. In the runtime its elements never move, so that one thread may use an element
///   while another adds one;
/// - `DataLock`: guards state that the holders of different program locks share. Offline it does nothing.
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
