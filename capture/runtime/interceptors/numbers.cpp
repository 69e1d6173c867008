/// \file
/// Numerical functions that store more than they return: parts of real numbers, states of generators.
#include <math.h>
#include <stdlib.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;

#define OMEN_REAL_PARTS(type, suffix)                                                                         \
  OMEN_CALL(type, frexp##suffix, (type x, int* exponent), (x, exponent), , WROTE(exponent, sizeof *exponent)) \
  OMEN_CALL(type, modf##suffix, (type x, type * whole), (x, whole), , WROTE(whole, sizeof *whole))            \
  OMEN_CALL(type, remquo##suffix, (type x, type y, int* bits), (x, y, bits), , WROTE(bits, sizeof *bits))     \
  OMEN_CALL(type, lgamma##suffix##_r, (type x, int* sign), (x, sign), , WROTE(sign, sizeof *sign))            \
  OMEN_VOID_CALL(sincos##suffix, (type x, type * sine, type * cosine), (x, sine, cosine), ,                   \
                 WROTE(sine, sizeof *sine) WROTE(cosine, sizeof *cosine))
OMEN_REAL_PARTS(double, )
OMEN_REAL_PARTS(float, f)
OMEN_REAL_PARTS(long double, l)

// clang-format off
// Generators whose state the program owns.
#define STATE(bytes) WRITE(state, bytes)
OMEN_CALL(int, rand_r, (unsigned* state), (state), STATE(sizeof *state), )
OMEN_CALL(int, random_r, (random_data* state, int* to), (state, to), STATE(sizeof *state), if (result == 0) WROTE(to, sizeof *to))
OMEN_CALL(int, srandom_r, (unsigned seed, random_data* state), (seed, state), STATE(sizeof *state), )
OMEN_CALL(int, initstate_r, (unsigned seed, char* memory, std::size_t bytes, random_data* state), (seed, memory, bytes, state), STATE(sizeof *state) WRITE(memory, bytes), )
OMEN_CALL(int, setstate_r, (char* memory, random_data* state), (memory, state), STATE(sizeof *state), )
OMEN_CALL(int, drand48_r, (drand48_data* state, double* to), (state, to), STATE(sizeof *state), WROTE(to, sizeof *to))
OMEN_CALL(int, lrand48_r, (drand48_data* state, long* to), (state, to), STATE(sizeof *state), WROTE(to, sizeof *to))
OMEN_CALL(int, mrand48_r, (drand48_data* state, long* to), (state, to), STATE(sizeof *state), WROTE(to, sizeof *to))
OMEN_CALL(int, erand48_r, (unsigned short* seed, drand48_data* state, double* to), (seed, state, to), STATE(sizeof *state) WRITE(seed, 6), WROTE(to, sizeof *to))
OMEN_CALL(int, nrand48_r, (unsigned short* seed, drand48_data* state, long* to), (seed, state, to), STATE(sizeof *state) WRITE(seed, 6), WROTE(to, sizeof *to))
OMEN_CALL(int, jrand48_r, (unsigned short* seed, drand48_data* state, long* to), (seed, state, to), STATE(sizeof *state) WRITE(seed, 6), WROTE(to, sizeof *to))
OMEN_CALL(int, srand48_r, (long seed, drand48_data* state), (seed, state), STATE(sizeof *state), )
OMEN_CALL(int, seed48_r, (unsigned short* seed, drand48_data* state), (seed, state), STATE(sizeof *state) READ(seed, 6), )
OMEN_CALL(int, lcong48_r, (unsigned short* numbers, drand48_data* state), (numbers, state), STATE(sizeof *state) READ(numbers, 14), )
OMEN_CALL(double, erand48, (unsigned short* seed), (seed), WRITE(seed, 6), )
OMEN_CALL(long, nrand48, (unsigned short* seed), (seed), WRITE(seed, 6), )
OMEN_CALL(long, jrand48, (unsigned short* seed), (seed), WRITE(seed, 6), )
// clang-format on

// One unguarded state for the whole program.
namespace {
char drand48_state[8];
}  // namespace
// clang-format off
#define SHARED_STATE WRITE(drand48_state, sizeof drand48_state)
OMEN_CALL(double, drand48, (), (), SHARED_STATE, )
OMEN_CALL(long, lrand48, (), (), SHARED_STATE, )
OMEN_CALL(long, mrand48, (), (), SHARED_STATE, )
OMEN_VOID_CALL(srand48, (long seed), (seed), SHARED_STATE, )

OMEN_CALL(ssize_t, getrandom, (void* to, std::size_t bytes, unsigned flags), (to, bytes, flags), , if (result > 0) WROTE(to, result))
OMEN_CALL(int, getentropy, (void* to, std::size_t bytes), (to, bytes), , if (result == 0) WROTE(to, bytes))

// Sorting and searching: the accesses between the comparisons, which are the program's own code.
OMEN_VOID_CALL(qsort, (void* base, std::size_t count, std::size_t size, void* compare), (base, count, size, compare), WRITE(base, count * size), )
OMEN_VOID_CALL(qsort_r, (void* base, std::size_t count, std::size_t size, void* compare, void* argument), (base, count, size, compare, argument), WRITE(base, count * size), )
OMEN_CALL(void*, tsearch, (const void* key, void** root, void* compare), (key, root, compare), WRITE(root, sizeof *root), )
OMEN_CALL(void*, tdelete, (const void* key, void** root, void* compare), (key, root, compare), WRITE(root, sizeof *root), )
OMEN_CALL(void*, tfind, (const void* key, void* const* root, void* compare), (key, root, compare), READ(root, sizeof *root), )
// clang-format on
