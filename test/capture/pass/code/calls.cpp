// Calls that checks may be moved across, and calls that they may not: the body of a callee shows what it may do, even
// if another file may have an equal one.
#include <cmath>
#include <cstring>

#define APART __attribute__((noinline))
struct Point {
  int x, y, z;
  APART int sum() const { return x + y + z; }
};
int unknown(int);

inline APART int weigh(const int* p) {
  return *p * 3;
}
template <class T>
APART int doubled(const T* p) {
  return *p * 2;
}
static APART int summed(const int* p, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum ^= p[i] + sum;
  return sum;
}
inline APART void put(int* p) {
  *p = 3;
}
inline APART int locked(const int* p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
inline APART int relaxed(const int* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
inline APART void waits(int* p) {
  while (__atomic_load_n(p, __ATOMIC_RELAXED) == 0) {
  }
  *p = 0;
}
inline APART int depth(const Point* p, int n) {
  return n == 0 ? p->x : depth(p + 1, n - 1) + p->y;
}
__attribute__((weak)) int replaceable(const int* p) {
  return *p;
}

extern "C" {

// CHECKS inline_function: read4@loop -> read_range
int inline_function(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + weigh(q + i);
  return sum;
}

// CHECKS instance_of_template: read4@loop -> read_range
int instance_of_template(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + doubled(q + i);
  return sum;
}

// CHECKS member_function: read4@loop -> read_range
int member_function(int* p, const Point* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + q[i].sum();
  return sum;
}

// CHECKS callee_with_loop: read4@loop -> read_range
int callee_with_loop(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + summed(q, i);
  return sum;
}

// The callee may read the memory that is written here.
// CHECKS overtaken_in_callee: write4@loop -> read_write_range
int overtaken_in_callee(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += weigh(q + i);
    p[i] = 0;
  }
  return sum;
}

// CHECKS again_behind_call: read4 read4 -> read4
int again_behind_call(int* p, int* q) {
  int sum = *p;
  put(q);
  return sum + *p;
}

// CHECKS locks_inside: read4@loop -> read4@loop
int locks_inside(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + locked(q + i);
  return sum;
}

// CHECKS relaxed_inside: read4@loop -> read_range
int relaxed_inside(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + relaxed(q + i);
  return sum;
}

// Code after the call may not be reached, so its check is not joined; earlier checks are known there.
// CHECKS waits_inside: read4 read4 read4 -> read4 read4
// clang-format off
int waits_inside(int* p, int* q) { int x = *p; waits(q); return x + p[0] + p[1]; }
// clang-format on

// CHECKS calls_itself: read4@loop -> read4@loop
int calls_itself(int* p, const Point* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + depth(q, 5);
  return sum;
}

// CHECKS calls_replaceable: read4@loop -> read4@loop
int calls_replaceable(int* p, const int* q, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + replaceable(q + i);
  return sum;
}

// CHECKS calls_unknown: read4@loop -> read4@loop
int calls_unknown(int* p, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += p[i] + unknown(3);
  return sum;
}

// CHECKS square_roots: read8@loop write8@loop -> read_range write_range
void square_roots(const double* p, double* q, long n) {
  for (long i = 0; i < n; ++i) q[i] = std::sqrt(p[i]);
}

// CHECKS exponentials: read8@loop write8@loop -> read_range write_range
void exponentials(const double* p, double* q, long n) {
  for (long i = 0; i < n; ++i) q[i] = std::exp(p[i]);
}

// CHECKS lengths: read8@loop -> read_range
size_t lengths(const char** p, long n) {
  size_t sum = 0;
  for (long i = 0; i < n; ++i) sum += std::strlen(p[i]);
  return sum;
}

// CHECKS behind_copy: read4 read4 -> read4
int behind_copy(Point* p, char* to, const char* from) {
  int x = p->x;
  std::memcpy(to, from, 200);
  return x + p->x;
}

// CHECKS relaxed_counter: write4@loop -> write_range
void relaxed_counter(int* p, long* count, long n) {
  for (long i = 0; i < n; ++i) {
    p[i] = 0;
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
  }
}

// CHECKS releasing_counter: write4@loop -> write4@loop
void releasing_counter(int* p, long* count, long n) {
  for (long i = 0; i < n; ++i) {
    p[i] = 0;
    __atomic_fetch_add(count, 1, __ATOMIC_RELEASE);
  }
}

// The number of iterations is unknown, and the loop need not end: a relaxed load may wait.
// CHECKS until_told: write4@loop -> write4@look
void until_told(int* p, int* flag) {
  do *p = 3;
  while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0);
}
}
