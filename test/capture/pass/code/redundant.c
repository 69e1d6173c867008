// Checks that repeat an earlier check of the thread: removed if they do on every path, with no synchronisation in between.
void unknown(void);
struct Node {
  struct Node* next;
  long value;
};
int global;

// CHECKS again: read4 write4 read4 -> read4 write4
int again(int* p, int* q) {
  int sum = *p;
  *q = 1;  // may be the same memory, so that it is read again
  return sum + *p;
}

// CHECKS read_of_written: write4 write4 read4 -> write4 write4
int read_of_written(int* p, int* q) {
  *p = 2;
  *q = 1;
  return *p;
}

// The read sinks to the write, and is made alone where there is none.
// CHECKS written_after_read: read4 write4 -> read4 read_write_lines
void written_after_read(int* p) {
  if (*p == 3) *p = 2;
}

// What was read is part of a trace, though the write is the stronger access.
// CHECKS read_before_write: read4 write1 write4 -> read_write_lines read_write_lines write1
void read_before_write(int* p, char* q) {
  if (*p == 3) *q = 1;
  *p = 2;
}

// CHECKS part_of_larger: write8 write4 read4 -> write8 write4
int part_of_larger(long* p, int* q) {
  *p = 2;
  *q = 1;
  return ((int*)p)[1];
}

// CHECKS larger_than_part: write4 write4 read8 -> read_write_lines write4
long larger_than_part(int* p, int* q) {
  *p = 2;
  *q = 1;
  return *(long*)p;
}

// CHECKS on_both_paths: write4 write2 write4 write1 read4 -> write4 write2 write4 write1
int on_both_paths(int* p, short* q, char* r, int which) {
  if (which) {
    *p = 3;
    *q = 1;
  } else {
    *p = 4;
    *r = 7;
  }
  return *p;
}

// CHECKS on_one_path: read4 write4 read4 -> read4 write4 read4
int on_one_path(int* p, int* q, int which) {
  int sum = 0;
  if (which) {
    sum = *p;
    *q = 1;
  }
  return sum + *p;
}

// CHECKS before_a_loop: read4 write4 read4@loop write4@loop -> read4 write4 write_range
int before_a_loop(int* p, int* q, int n) {
  int sum = *p;
  *q = 1;
  for (int i = 0; i < n; ++i) {
    sum += *p;
    q[i] = 3;
  }
  return sum;
}

// CHECKS call_between: read4 read4 -> read4 read4
int call_between(int* p) {
  int sum = *p;
  unknown();
  return sum + *p;
}

// CHECKS atomic_between: write4 atomic32_store read4 -> write4 atomic32_store read4
int atomic_between(int* p, int* q) {
  *p = 1;
  __atomic_store_n(q, 1, __ATOMIC_RELEASE);
  return *p;
}

// CHECKS fence_between: write4 atomic_thread_fence read4 -> write4 atomic_thread_fence read4
int fence_between(int* p) {
  *p = 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return *p;
}

// CHECKS volatile_again: read4 read4 -> read4 read4
int volatile_again(volatile int* p) {
  int sum = *p;
  return sum + *p;
}

// Each iteration is about other memory.
// CHECKS other_each_time: read8@loop read8@loop -> read_write_lines@look
long other_each_time(struct Node* p) {
  long sum = 0;
  for (; p; p = p->next)
    sum += p->value;
  return sum;
}

// The second access of an iteration repeats the first.
// CHECKS again_in_iteration: read8@loop write8@loop read8@loop read8@loop -> read_write_lines@look write_range@loop write_range
long again_in_iteration(struct Node* p, long* q) {
  long sum = 0;
  for (; p; p = p->next) {
    sum += p->value;
    *q++ = 0;
    sum += p->value;
  }
  return sum;
}

// A check in one iteration of a loop covers the next one if it is the same memory.
// CHECKS from_iteration_to_iteration: write4 write4@loop read4@loop read1@loop -> write4 read_range@loop write_range@loop read_range write_range
int from_iteration_to_iteration(int* p, int* q, char* end) {
  int sum = 0;
  *p = 1;
  do {
    *q++ = 3;
    sum += *p;
  } while (*end++);
  return sum;
}

// CHECKS call_in_the_loop: write4 read4@loop -> write4 read4@loop
int call_in_the_loop(int* p, int n) {
  int sum = 0;
  *p = 1;
  for (int i = 0; i < n; ++i) {
    sum += *p;
    unknown();
  }
  return sum;
}

// Nothing here synchronises, frees or fails to return.
// CHECKS harmless_call: write4 write4 read4 -> write4 write4
__attribute__((noinline, const, nothrow)) int harmless(int x) { return x * x + 1; }
int harmless_call(int* p, int* q) {
  *p = 1;
  *q = harmless(3 + *p);
  return *p;
}

// Updates are no barriers: an access checked before one need not be checked again, unless it is a read, because its value may depend on the update.
// CHECKS read_around_an_update: read4 read_update4 read4 -> read4 read_update4 read4
int read_around_an_update(const int* p, int* q, int n) {
  const int before = *p;
  *q += n;
  return before * 3 + *p;
}

// CHECKS written_around_an_update: write4 read_update4 write4 -> write4 read_update4
void written_around_an_update(int* p, int* q, int n) {
  *p = 1;
  *q += n;
  *p = 2;
}

// The thread has written it itself.
// CHECKS update_of_what_is_written: write4 write4 read_update4 -> write4 write4
void update_of_what_is_written(int* p, int* q, int n) {
  *p = 1;
  *q = 2;
  *p += n;
}

// CHECKS joined_over_an_update: write4 read_update8 write4 -> unaligned_write8 read_update8
void joined_over_an_update(int* restrict p, long* restrict q, long n) {
  p[0] = 1, *q += n, p[1] = 3;
}

// CHECKS reads_are_not_joined_over_it: read4 read_update8 read4 -> read4 read_update8 read4
int reads_are_not_joined_over_it(int* p, long* q, long n) {
  int a = p[0]; *q += n; return a * 3 + p[1];
}
