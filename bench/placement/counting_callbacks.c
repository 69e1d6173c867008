/* The callbacks of instrumented code, which count a program's checks by kind, and print the counts to standard error when it
   ends. Callbacks that check no access are those of ../online/empty_callbacks.c. No memory is known here, so a check that the
   program would decide inline is also a call. Linked in place of omen's runtime. */
#include <stdio.h>

#define THREADS 4096

/* A thread has a slot of its own; threads beyond the limit share the last. */
static struct slot {
  unsigned long single, mask, range, strided, lines;
  char unused[88];
} slots[THREADS];
static unsigned used;
static __thread struct slot* mine;

static struct slot* slot(void) {
  if (mine == 0) {
    const unsigned number = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
    mine = &slots[number < THREADS ? number : THREADS - 1];
  }
  return mine;
}

static void count_range(unsigned long bytes) {
  ++slot()->range;
  slot()->lines += (bytes + 63) / 64;
}

static __attribute__((destructor)) void print(void) {
  struct slot all = {0};
  for (unsigned at = 0; at < THREADS; ++at) {
    all.single += slots[at].single, all.mask += slots[at].mask, all.range += slots[at].range;
    all.strided += slots[at].strided, all.lines += slots[at].lines;
  }
  fprintf(stderr, "checks: %lu single, %lu mask, %lu range, %lu strided; %lu lines of ranges and strides\n", all.single, all.mask, all.range,
          all.strided, all.lines);
}

/* All addresses within 64 bytes are one lookup. */
static void count_strided(unsigned long count, long stride, unsigned long mask) {
  ++slot()->strided;
  const unsigned long room = mask == 0 ? 0 : (unsigned long)__builtin_clzl(mask);
  const unsigned long together = stride > 0 ? room / (unsigned long)stride + 1 : 1;
  slot()->lines += (count + together - 1) / together;
}

#define COUNTED_SINGLE ++slot()->single
#define COUNTED_MASK ++slot()->mask
#define COUNTED_RANGE count_range(bytes)
#define COUNTED_STRIDED count_strided(count, stride, mask)
#include "../online/empty_callbacks.c"
