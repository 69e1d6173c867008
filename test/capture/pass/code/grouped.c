// Checks of several lines, of a read and of a write, that are one.
#include <pthread.h>

struct Point {
  long x, y, z;
  int n;
  volatile int mark;
  char name[100];
};
extern pthread_mutex_t mutex;
long unknown(void);

// CHECKS set: write8 write8 write4 -> read_write_lines:A
void set(struct Point* p, long a) {
  p->x = a;  // A
  p->y = 2 * a;
  p->n = 7;
}

// The order in memory is not that of the program.
// CHECKS backwards: write4 write8 write8 -> read_write_lines:B
void backwards(struct Point* p, long a) {
  p->n = 7;  // B
  p->z = 2 * a;
  p->y = a;
}

// CHECKS read_and_write: read8 write8 read8 -> read_write_lines:C
long read_and_write(struct Point* p) {
  long x = p->x;  // C
  p->y = x ^ 5;
  return p->z + x;
}

// Bytes that a mask has no room for.
// CHECKS too_far: write8 write1 write1 -> write8:D read_write_lines:E
void too_far(struct Point* p) {
  p->x = 1;  // D
  p->name[90] = 1;  // E
  p->name[93] = 2;
}

// Over a barrier no check moves.
// CHECKS barrier: write8 write8 write8 -> write8:F read_write_lines:G
void barrier(struct Point* p) {
  p->x = 1;  // F
  pthread_mutex_lock(&mutex);
  p->y = 1;  // G
  p->z = 1;
}

// What may not return is one.
// CHECKS call_between: write8 write8 -> write8 write8
void call_between(struct Point* p) {
  p->x = 1;
  p->y = unknown();
}

// A check of a volatile access stays.
// CHECKS with_volatile: write8 write4 write8 -> read_write_lines:H write4
void with_volatile(struct Point* p) {
  p->x = 1;  // H
  p->mark = 1;
  p->y = 1;
}

// The read may be of the second write's memory.
// CHECKS overtakes: write8 read8 write8 -> write8:I read8 write8:J
long overtakes(struct Point* p, const long* q) {
  p->x = 1;  // I
  long value = *q;
  p->y = 1;  // J
  return value;
}

// The same, and it is not: it is of another type.
// CHECKS of_other_type: write8 read8 write8 -> read_write_lines read8
double of_other_type(struct Point* p, const double* q) {
  p->x = 1;
  double value = *q;
  p->y = 1;
  return value;
}

// The same bytes, on two lines.
// CHECKS twice: read8 write8 -> read_write_lines:K
long twice(long* p) {
  long value = *p;  // K
  *p = value == 3;
  return value;
}

// A read behind an update may see what came of it.
// CHECKS behind_update: read8 read_update8 read8 -> read8 read_update8 read8
long behind_update(struct Point* p) {
  long x = p->x;
  p->y += 5;
  return x + p->z;
}

// CHECKS in_loop: read8@loop read8@loop read8@loop -> read_write_lines:L@look
struct Node {
  struct Node* next;
  long key, value;
};
long in_loop(const struct Node* p) {
  long sum = 0;
  for (; p; p = p->next) {
    sum += p->key;  // L
    sum ^= p->value;
  }
  return sum;
}

// The first sinks behind the branch, to the second; on the other way it is made alone.
// CHECKS if_set: read8 read8 -> read8:M read_write_lines:M
long if_set(const struct Point* p) {
  if (p->x != 0)  // M
    return p->y;
  return 3;
}

// No other check is passed.
// CHECKS other_between: read8 read8 write8 read8 -> read8:N read8:O write8 read8
long other_between(const struct Point* p, const double* q, double* to) {
  long x = p->x;  // N
  double y = *q;  // O
  *to = y;
  return y != 0 ? x + p->y : x;
}

// Three ways out of a loop to one check: each is still a way of its own after the first has got its checks.
// CHECKS leaves: write4:X@loop write4:Y@loop write4:Z -> read_write_lines:X write4:X@loop read_write_lines:Y write4:Y@loop write4:Z
int leaves(int* p) {
  int n;
  for (;;) {
    n = unknown();
    p[0] = 1;  // X
    if (n == 0) break;
    n = unknown();
    p[0] = 2;  // Y
    if (n == 0) break;
    n = unknown();
    if (n == 3) break;
  }
  p[1] = n;  // Z
  return n;
}
