// Memory that no other thread can reach has no checks, even if it is passed to callees that keep no address.
#include <cstdlib>

#define APART __attribute__((noinline))
struct Large {
  long words[20];
  APART long sum() const {
    long sum = 0;
    for (long word : words) sum += word;
    return sum;
  }
};
inline APART void fill(Large* p, long value) {
  p->words[value & 15] = value;
}
void* kept;
inline APART void keep(Large* p) {
  kept = p;
}
inline APART Large* pass_on(Large* p) {
  return p;
}
void unknown(Large*);

extern "C" {

// CHECKS lent: write8 read8 ->
long lent(long value) {
  Large mine;
  for (long& word : mine.words) word = 0;
  fill(&mine, value);
  mine.words[value & 7] = 2;
  return mine.sum() + mine.words[3];
}

// CHECKS stored: write8 read8 -> write8 read8
long stored(long value) {
  Large mine;
  keep(&mine);
  mine.words[value & 7] = 2;
  return mine.sum() + mine.words[3];
}

// CHECKS returned: write8 read8 -> write8 read8
long returned(long value) {
  Large mine;
  Large* other = pass_on(&mine);
  other->words[value & 7] = 2;
  return mine.sum() + mine.words[3];
}

// CHECKS given: write8 read8 -> write8 read8
long given(long value) {
  Large mine;
  unknown(&mine);
  mine.words[value & 7] = 2;
  return mine.sum() + mine.words[3];
}

// CHECKS block: write8 read8 ->
long block(long value) {
  auto* mine = static_cast<Large*>(malloc(sizeof(Large)));
  fill(mine, value);
  mine->words[value & 7] = 2;
  const long sum = mine->sum() + mine->words[3];
  free(mine);
  return sum;
}

// CHECKS stored_block: write8 atomic64_store -> write8 atomic64_store
void stored_block(Large** to, long value) {
  auto* mine = static_cast<Large*>(malloc(sizeof(Large)));
  fill(mine, value);
  mine->words[value & 7] = 2;
  __atomic_store_n(to, mine, __ATOMIC_RELEASE);
}

// One of two objects, the other of which is not private.
// CHECKS either: write8 -> write8
long either(Large* other, long value, bool which) {
  Large mine;
  fill(&mine, value);
  Large* one = which ? &mine : other;
  one->words[value & 7] = 2;
  return mine.sum();
}
}
