// Checks after their accesses: loops whose length is unknown before they run, and checks that sink below a branch.
#include <pthread.h>
#include <stdbool.h>

typedef struct Node Node;
typedef struct Linked Linked;
typedef struct Bin Bin;
struct Node {
  long key;
  Node* next;
};
struct Linked {
  Linked* next;
  long key;
};
struct Bin {
  long key, count;
  Bin* next;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void unknown(void);

// One read decides how far the loop runs; the checks of the other, and of the write, are committed after it, periodically in the loop and after it.
// CHECKS one_decides: read4:R@loop write4:W@loop read4:D@loop -> read_range:D@loop read_range:R@loop write_range:W@loop read_range:D read_range:R write_range:W
void one_decides(int* restrict a, const int* restrict b, const int* restrict stop) {
  for (long i = 0;; ++i) {
    const int t =
        b[i];  // R
    a[i] =  // W
        t;
    if (stop[i] ==  // D
        0)
      break;
  }
}

// Each of two reads decides about the other.
// CHECKS both_decide: read4 read4@loop read4@loop -> read4 read4@look read4@look
long both_decide(const int* p, const int* q) {
  long i = 0;
  while (p[i] && q[i]) ++i;
  return i;
}

// A range is checked upwards, and a read at a lower address depends on one above: so it is a list of places.
// CHECKS downwards: read8@loop -> read_strided@loop read_strided
long* downwards(long* p, long v) {
  while (v < *p) --p;
  return p;
}

// Nothing depends on the write.
// CHECKS written_downwards: write8@loop read1@loop -> read_range@loop write_range@loop read_range write_range
void written_downwards(long* restrict p, const char* restrict stop) {
  do *p-- = 0;
  while (*stop++);
}

// CHECKS member_until: read8@loop -> read_strided@loop read_strided
long member_until(const Bin* p, long key) {
  long i = 0;
  while (p[i].count != key) ++i;
  return i;
}

// The address of the second access depends on the first.
// CHECKS through_pointers: read8@loop write4@loop read1@loop -> read8@look write4@look read1@look
void through_pointers(int** restrict p, const char* restrict stop) {
  do **p++ = 0;
  while (*stop++);
}

// The store may change the value that ends the loop: two reads decide. Nothing depends on the write.
// CHECKS through_memory: read1@loop write1@loop read1@loop -> read1@look read1@look write_range@loop write_range
void through_memory(char* to, const char* from, const char* stop) {
  do *to++ = *from++;
  while (*stop++);
}

// The read's check would follow the check of a write of the same memory, and the recorder would drop it.
// CHECKS behind_a_write: read4@loop write4@loop read1@loop -> read4@look write4@look read1@look
long behind_a_write(const int* p, int* q, const char* restrict stop) {
  long sum = 0;
  do {
    sum += *p++;
    if (sum % 3 == 0) *q = 0, q += sum;
  } while (*stop++);
  return sum;
}

// CHECKS with_a_barrier: read1@loop read1@loop -> read1 read_write_lines@loop read1
long with_a_barrier(const char* p) {
  long sum = 0;
  do {
    sum += *p;
    unknown();
  } while (*p++);
  return sum;
}

// The key, and then the link: one check per node, which also covers the next node's link.
// CHECKS in_a_list: read8 read8@loop read8@loop -> read8 read16 read8 read16@look
Node* in_a_list(Node* p, long key) {
  while (p->key < key) p = p->next;
  return p;
}

// A check is looked at upwards: the link would come first, and which link is read depends on the key. A group has an order.
// CHECKS link_first: read8 read8@loop read8@loop -> read8 read_write_lines read8 read_write_lines@look
Linked* link_first(Linked* p, long key) {
  while (p->key < key) p = p->next;
  return p;
}

// CHECKS with_a_gap: read8@loop read8@loop -> read8 read_bytes@look
Bin* with_a_gap(Bin* p, long key) {
  while (p && p->key != key) p = p->next;
  return p;
}

// CHECKS either: write8 write8 -> write8 write16
void either(Node* p, bool how) {
  p->key = 0; if (how) p->next = p;
}

// CHECKS barrier_between: write8 write8 -> write8 write8
void barrier_between(Node* p, bool how) {
  p->key = 0; pthread_mutex_lock(&mutex); if (how) p->next = p; pthread_mutex_unlock(&mutex);
}

// Another thread may observe the progress, and end the program.
// CHECKS seen_at_work: write8@loop read1@loop -> write8@look read1@look
void seen_at_work(long* restrict p, const char* restrict stop, long* progress) {
  do {
    *p++ = 0;
    __atomic_fetch_add(progress, 1, __ATOMIC_RELAXED);
  } while (*stop++);
}
