// Whatever a function of a library is called with passes on the way that marks a section: variable arguments,
// structures, vectors, exceptions, jumps, and a signal handler that calls such a function too.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: none
// OUTPUT: variable 1.5 2 3.25
// OUTPUT: structure 7 8 9 10 11
// OUTPUT: pair 3 4.5
// OUTPUT: vector 0 1 2 3
// OUTPUT: many 55 55
// OUTPUT: long 2.5
// OUTPUT: caught 5
// OUTPUT: jumped 6
// OUTPUT: handled 1
#include <csetjmp>
#include <cstdarg>
#include <cstdio>

struct Large {
  long values[5];
};
struct Pair {
  long first;
  double second;
};
using Vector = float __attribute__((vector_size(16)));  // wider ones need a processor that has them

#ifdef LIBRARY
#define LIBRARY_FUNCTION
#else
#define LIBRARY_FUNCTION extern
#endif
extern "C" {
LIBRARY_FUNCTION void library_variable(char* out, int count, ...);
LIBRARY_FUNCTION Large library_large(long first);
LIBRARY_FUNCTION Pair library_pair(long first, double second);
LIBRARY_FUNCTION long library_many(long, long, long, long, long, long, long, long, long, long);
LIBRARY_FUNCTION double library_many_doubles(double, double, double, double, double, double, double, double, double,
                                             double);
LIBRARY_FUNCTION long double library_long(long double);
LIBRARY_FUNCTION void library_throw(int value);
LIBRARY_FUNCTION void library_jump(std::jmp_buf* where, int value);
LIBRARY_FUNCTION void library_count(int* handled);
LIBRARY_FUNCTION void library_vector(Vector value, float* out);
}

#ifdef LIBRARY
void library_variable(char* out, int count, ...) {
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; ++i) out += std::sprintf(out, " %g", va_arg(list, double));
  va_end(list);
}
Large library_large(long first) {
  return {{first, first + 1, first + 2, first + 3, first + 4}};
}
Pair library_pair(long first, double second) {
  return {first, second};
}
long library_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {
  return a + b + c + d + e + f + g + h + i + j;
}
double library_many_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                            double j) {
  return a + b + c + d + e + f + g + h + i + j;
}
long double library_long(long double value) {
  return value / 2;
}
void library_throw(int value) {
  throw value;
}
void library_jump(std::jmp_buf* where, int value) {
  std::longjmp(*where, value);
}
void library_count(int* handled) {
  ++*handled;
}
void library_vector(Vector value, float* out) {
  for (int i = 0; i < 4; ++i) out[i] = value[i];
}
#else
#include <csignal>
#include <mutex>

static std::mutex m;
static int handled;

static void handler(int) {
  library_count(&handled);
}

static void pass_vector(float* out) {
  const Vector value = {0, 1, 2, 3};
  std::lock_guard<std::mutex> lock(m);
  library_vector(value, out);
}

int main() {
  {
    char text[100];
    std::lock_guard<std::mutex> lock(m);
    library_variable(text, 3, 1.5, 2.0, 3.25);
    std::printf("variable%s\n", text);
  }
  {
    std::lock_guard<std::mutex> lock(m);
    const Large large = library_large(7);
    std::printf("structure %ld %ld %ld %ld %ld\n", large.values[0], large.values[1], large.values[2], large.values[3],
                large.values[4]);
  }
  {
    std::lock_guard<std::mutex> lock(m);
    const Pair pair = library_pair(3, 4.5);
    std::printf("pair %ld %g\n", pair.first, pair.second);
  }
  float out[4] = {};
  pass_vector(out);
  std::printf("vector %g %g %g %g\n", out[0], out[1], out[2], out[3]);
  long many = 0;
  {
    std::lock_guard<std::mutex> lock(m);
    many = library_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  }
  {
    std::lock_guard<std::mutex> lock(m);
    std::printf("many %ld %g\n", many, library_many_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  }
  {
    std::lock_guard<std::mutex> lock(m);
    std::printf("long %Lg\n", library_long(5));
  }
  try {
    std::lock_guard<std::mutex> lock(m);
    library_throw(5);
  } catch (int value) {
    std::printf("caught %d\n", value);
  }
  std::jmp_buf where;
  m.lock();
  if (const int value = setjmp(where)) {
    std::printf("jumped %d\n", value);
  } else {
    library_jump(&where, 6);
  }
  m.unlock();
  std::signal(SIGUSR1, handler);
  {
    std::lock_guard<std::mutex> lock(m);
    std::raise(SIGUSR1);
  }
  std::printf("handled %d\n", handled);
}
#endif
