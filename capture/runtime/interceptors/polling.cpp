/// \file
/// `poll`, `select` and their like, where they run out of time.
#include "capture/runtime/interceptors/polling.hpp"

#include "capture/runtime/interceptors/interceptor.hpp"

using namespace omen::rt;

OMEN_INTERCEPT(int, poll, (pollfd * descriptors, unsigned long count, int timeout)) {
  const int ready = OMEN_REAL(poll)(descriptors, count, timeout);
  if (ready == 0) WatchedDescriptors(descriptors, count).are_empty(OMEN_CALLER);
  return ready;
}
OMEN_INTERCEPT(int, ppoll, (pollfd * descriptors, unsigned long count, const void* timeout, const void* mask)) {
  const int ready = OMEN_REAL(ppoll)(descriptors, count, timeout, mask);
  if (ready == 0) WatchedDescriptors(descriptors, count).are_empty(OMEN_CALLER);
  return ready;
}
// The sets are overwritten.
OMEN_INTERCEPT(int, select, (int count, fd_set* readable, fd_set* writable, fd_set* failed, void* timeout)) {
  const WatchedDescriptors watched(readable, count);
  const int ready = OMEN_REAL(select)(count, readable, writable, failed, timeout);
  if (ready == 0) watched.are_empty(OMEN_CALLER);
  return ready;
}
OMEN_INTERCEPT(int, pselect,
               (int count, fd_set* readable, fd_set* writable, fd_set* failed, const void* timeout, const void* mask)) {
  const WatchedDescriptors watched(readable, count);
  const int ready = OMEN_REAL(pselect)(count, readable, writable, failed, timeout, mask);
  if (ready == 0) watched.are_empty(OMEN_CALLER);
  return ready;
}
