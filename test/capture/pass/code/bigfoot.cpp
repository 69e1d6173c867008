// BigFoot's result for small functions (its rules, applied to memory as C++ has it), compared with omen's.
// `BIGFOOT NAME: A + Bn` is its number of checks: A outside of loops, B in each iteration. If more are left, the
// reason follows.
#include <pthread.h>

#include <cmath>
#include <cstring>
#include <vector>

#define APART __attribute__((noinline))
struct Point {
  int x, y, z;
};
struct Node {
  Node* next;
  long key, value, extra;
};
struct Complex {
  double re, im;
};
struct Array {
  long n;
  long* d;
};
struct Big {
  char b[200];
};
struct Pair {
  int f, g;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static APART void bump(Point* p) {
  p->x += 1;
  p->y += 1;
  p->z += 1;
}
static APART int weigh(const int* t, int k) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum = sum * 31 + t[(k + i) & 15];
  return sum;
}
inline APART int look(const int* p, long i) {
  return p[i] * 3;
}
void die() __attribute__((noreturn));

extern "C" {

// BIGFOOT copy_loop: 2 + 0n
// CHECKS copy_loop: read4@loop write4@loop -> read_range write_range
void copy_loop(const int* a, int* b, long n) {
  for (long i = 0; i < n; ++i) b[i] = a[i] + 1;
}

// BIGFOOT one_field: 1 + 0n
// CHECKS one_field: write4@loop -> write_strided
void one_field(Point* p, long n) {
  for (long i = 0; i < n; ++i) p[i].y = 0;
}

// BIGFOOT fixed_column: 1 + 0n
// CHECKS fixed_column: read8@loop -> read_strided
double fixed_column(double (*m)[64], long n, int c) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += m[i][c];
  return sum;
}

// BIGFOOT column_dyn: 1 + 0n
// CHECKS column_dyn: read8@loop -> read_strided
double column_dyn(double* m, long rows, long cols, long c) {
  double sum = 0;
  for (long i = 0; i < rows; ++i) sum += m[i * cols + c];
  return sum;
}

// BIGFOOT find_break: 1 + 0n, pending checks are committed now and then
// CHECKS find_break: read4@loop -> read_range@loop read_range
long find_break(const int* a, long n, int v) {
  for (long i = 0; i < n; ++i) {
    if (a[i] == v) return i;
  }
  return -1;
}

// BIGFOOT fill_until: 2 + 0n, pending checks are committed now and then
// CHECKS fill_until: read4@loop write4@loop -> read_range@loop write_range@loop read_range write_range
long fill_until(int* __restrict b, const int* __restrict a, long n) {
  long i = 0;
  for (; i < n; ++i) {
    if (a[i] < 0) break;
    b[i] = a[i];
  }
  return i;
}

// BIGFOOT caller: 1 + 0n
// CHECKS caller: write4 write4 write4 read4 read4 read4 -> read_write_lines
int caller(Point* p) {
  p->x = 1;
  p->y = 2;
  p->z = 3;
  bump(p);
  return p->x + p->y + p->z;
}

// BIGFOOT pure_call: 1 + 0n
// CHECKS pure_call: read4@loop -> read_range
long pure_call(const int* a, const int* t, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += weigh(t, a[i]);
  return sum;
}

// BIGFOOT inline_call: 1 + 0n
// CHECKS inline_call: read4@loop -> read_range
long inline_call(const int* a, const int* t, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += a[i] + look(t, i);
  return sum;
}

// BIGFOOT roots: 2 + 0n
// CHECKS roots: read8@loop write8@loop -> read_range write_range
void roots(const double* a, double* b, long n) {
  for (long i = 0; i < n; ++i) b[i] = std::sqrt(a[i]);
}

// BIGFOOT walk: 0 + 1n
// CHECKS walk: read8@loop read8@loop read8@loop read8@loop -> read_write_lines@look
long walk(Node* p) {
  long sum = 0;
  for (; p; p = p->next) {
    sum += p->key;
    sum ^= p->value;
    sum += p->extra;
  }
  return sum;
}

// BIGFOOT star: 2 + 0n
// CHECKS star: read1@loop write1@loop -> read_range write_range
void star(char* p, const char* q, long n) {
  while (n--) *p++ = *q++;
}

// BIGFOOT move_point: 1 + 0n, updates stay where they are
// CHECKS move_point: read_update4 read_update4 read_update4 -> read_update4 read_update4 read_update4
void move_point(Point* p, int dx, int dy, int dz) {
  int t = p->x;
  p->x = t + dx;
  t = p->y;
  p->y = t + dy;
  t = p->z;
  p->z = t + dz;
}

// BIGFOOT move_points: 1 + 0n
// CHECKS move_points: read8@loop -> read_range
void move_points(Point** a, long lo, long hi) {
  for (long i = lo; i < hi; ++i) bump(a[i]);
}

// BIGFOOT figure3: 1 + 0n, a check stays in the critical sections of its access, which prediction asks for
// CHECKS figure3: read4 read4 read4 -> read4 read4 read4
int figure3(int* b) {
  pthread_mutex_lock(&mutex);
  int x = *b;
  pthread_mutex_unlock(&mutex);
  int y = *b;
  pthread_mutex_lock(&mutex);
  int z = *b;
  pthread_mutex_unlock(&mutex);
  return x + 2 * y + 3 * z;
}

// BIGFOOT figure6a: 4 + 0n
// CHECKS figure6a: read4 write4 read4 read4 write4 -> read_write_lines write4 read4 write4
int figure6a(Pair* b, int i, int* out) {
  int x = 0;
  if (i < 0) {
    x = b->g;
    out[0] = x;
  } else {
    x = b->f;
    out[1] = x;
  }
  return b->f + x;
}

// BIGFOOT figure6b: 3 + 0n, pending checks are committed now and then
// CHECKS figure6b: read4 write4@loop read1@loop -> read4 read_range@loop write_range@loop read_range write_range
int figure6b(int* __restrict a, int* __restrict f, const bool* __restrict stop) {
  int i = 0;
  do {
    a[i] = *f;
    i = i + 1;
  } while (!stop[i]);
  return i;
}

// BIGFOOT conditional: 1 + 1n
// CHECKS conditional: read1@loop write4@loop -> read_range write4@look
void conditional(int* __restrict a, const char* __restrict f, long n) {
  for (long i = 0; i < n; ++i) {
    if (f[i]) a[i] = 1;
  }
}

// BIGFOOT conjugates: 1 + 0n, ranges of one line only are joined
// CHECKS conjugates: read8@loop write8@loop read8@loop write8@loop -> read_write_strided read_write_strided
void conjugates(Complex* a, long n) {
  for (long i = 0; i < n; ++i) {
    a[i].re = a[i].re * 2;
    a[i].im = -a[i].im;
  }
}

// BIGFOOT bound_in_memory: 3 + 0n, pending checks are committed now and then
// CHECKS bound_in_memory: read8 read8 write8@loop read8@loop -> read8 read_write_lines write_range write_range@loop
void bound_in_memory(Array* a) {
  for (long i = 0; i < a->n; ++i) a->d[i] = i;
}

// BIGFOOT with_relaxed: 1 + 0n
// CHECKS with_relaxed: write4@loop -> write_range
void with_relaxed(int* a, long* done, long n) {
  for (long i = 0; i < n; ++i) {
    a[i] = 0;
    __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
  }
}

// BIGFOOT with_copy: 1 + 0n
// CHECKS with_copy: read4 read4 -> read4
int with_copy(Point* p, Big* to, const Big* from) {
  int x = p->x;
  *to = *from;
  return x + p->x;
}

// BIGFOOT of_vector: 2 + 0n
// CHECKS of_vector: read8 read8 read8@loop write8@loop -> read_write_lines read_write_range
void of_vector(std::vector<double>& v) {
  for (double& each : v) each *= 2;
}

// BIGFOOT histogram: 1 + 1n
// CHECKS histogram: read1@loop read4@loop write4@loop -> read_range read_write4@look
void histogram(const unsigned char* a, long n, int* h) {
  for (long i = 0; i < n; ++i) ++h[a[i]];
}

// BIGFOOT with_assert: 1 + 0n, two exits have a check each, and pending checks are committed now and then
// CHECKS with_assert: read4@loop -> read_range read_range read_range@loop
long with_assert(int* a, long n, int k) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    if (a[i] == k) die();
    sum += a[i];
  }
  return sum;
}
}
