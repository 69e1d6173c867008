#include "capture/runtime/foreign/stream_calls.hpp"

#include <dlfcn.h>

namespace omen::rt {
namespace {

/// Non-const members of `std::ostream`, `std::istream` and `std::iostream`; operators and manipulators.
constexpr const char* kFamilies[] = {
    "_ZNSo",      "_ZNSi",      "_ZNSd",       "_ZStlsI",  "_ZStrsI",      "_ZSt16__ostream_insertI",
    "_ZSt4endlI", "_ZSt4endsI", "_ZSt5flushI", "_ZSt2wsI", "_ZSt7getlineI"};
/// A sentry is an object of its own.
constexpr const char* kOthers[] = {"_ZNSo6sentry", "_ZNSi6sentry"};

constexpr const char* kStandard[] = {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin"};
constexpr u32 kStandardCount = sizeof kStandard / sizeof kStandard[0];
uptr standard[kStandardCount];
bool standard_found = false;
std::atomic<bool> are_synchronised{true};

/// Called with the first linkage table that is redirected, before any of the functions is called.
void find_standard() {
  standard_found = true;
  for (u32 i = 0; i < kStandardCount; ++i) standard[i] = reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, kStandard[i]));
}

}  // namespace

bool uses_stream(const char* name) {
  for (const char* const other : kOthers) {
    if (text_starts(name, other)) return false;
  }
  for (const char* const family : kFamilies) {
    if (!text_starts(name, family)) continue;
    if (!standard_found) find_standard();
    return true;
  }
  return false;
}

bool sets_synchronisation(const char* name) {
  return text_equal(name, "_ZNSt8ios_base15sync_with_stdioEb");
}

void synchronise_standard_streams(bool are) {
  are_synchronised.store(are, std::memory_order_relaxed);
}

bool is_shared_stream(uptr stream) {
  if (!are_synchronised.load(std::memory_order_relaxed)) return false;
  for (const uptr known : standard) {
    if (known == stream) return true;
  }
  return false;
}

}  // namespace omen::rt
