// Checks that repeat what the thread has checked: gone if they do on every path, and with nothing between that synchronises.
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

// A write is more than a read.
// CHECKS written_after_read: read4 write4 write4 -> read4 write4 write4
int written_after_read(int* p, int* q) {
  int sum = *p;
  *q = 1;
  *p = 2;
  return sum;
}

// CHECKS part_of_larger: write8 write4 read4 -> write8 write4
int part_of_larger(long* p, int* q) {
  *p = 2;
  *q = 1;
  return ((int*)p)[1];
}

// CHECKS larger_than_part: write4 write4 read8 -> write4 write4 read8
long larger_than_part(int* p, int* q) {
  *p = 2;
  *q = 1;
  return *(long*)p;
}

// CHECKS on_both_paths: read4 write4 read4 write4 read4 -> read4 write4 read4 write4
int on_both_paths(int* p, int* q, int which) {
  int sum;
  if (which) {
    sum = *p;
    *q = 1;
  } else {
    sum = *p + 5;
    *q = 7;
    asm("" : "+r"(sum));
  }
  return sum + *p;
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

// CHECKS atomic_between: write4 read4 -> write4 read4
int atomic_between(int* p, int* q) {
  *p = 1;
  __atomic_store_n(q, 1, __ATOMIC_RELEASE);
  return *p;
}

// CHECKS fence_between: write4 read4 -> write4 read4
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
// CHECKS other_each_time: read8@loop read8@loop -> read8@loop read8@loop
long other_each_time(struct Node* p) {
  long sum = 0;
  for (; p; p = p->next)
    sum += p->value;
  return sum;
}

// The second access of an iteration repeats the first.
// CHECKS again_in_iteration: read8@loop write4@loop read8@loop read8@loop -> read8@loop write4 read8@loop
long again_in_iteration(struct Node* p, int* q) {
  long sum = 0;
  for (; p; p = p->next) {
    sum += p->value;
    *q = 1;
    sum += p->value;
  }
  return sum;
}
