// Write checks that are moved before checks of reads that may be of the same memory: they become checks of both.

// CHECKS drain: read1@loop read4@loop write4@loop -> read_range read_write_range read4@look
int drain(int* a, const char* flag, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) {
    if (flag[i]) sum += a[i];
    a[i] = 0;
  }
  return sum;
}

// The read has another type, so it is of other memory.
// CHECKS apart: read1@loop read8@loop write4@loop -> read_range write_range read8@look
double apart(int* a, const double* b, const char* flag, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    if (flag[i]) sum += b[i];
    a[i] = 0;
  }
  return sum;
}

// A read of what the loop writes later.
// CHECKS shifted: write4@loop read4@loop -> read_write_range read_range
int shifted(int* restrict a, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) {
    a[i] = 7;
    sum ^= a[i + 1];
  }
  return sum;
}

// The same memory in each iteration.
// CHECKS same: read1@loop read4@loop write4@loop -> read_range read_write4 read4@look
int same(int* a, const int* b, const char* flag, long n) {
  int sum = 0;
  for (long i = 0; i < n; ++i) {
    if (flag[i]) sum += b[i];
    *a = sum + (int)i;
  }
  return sum;
}

// Writes of one statement on both sides of a read.
// CHECKS between: write4 read4 write4 -> read_write_lines read4
#define BETWEEN(p, q) (p)[0] = 7, value = *(q), (p)[1] = 0
int between(int* p, const int* q) {
  int value;
  BETWEEN(p, q);
  return value;
}

// The same, and the read is beside them.
// CHECKS beside: write4 read4 write4 -> read_write_lines
int beside(int* p) {
  int value;
  BETWEEN(p, p + 2);
  return value;
}

// There is no function for a read and a write of such bytes: two checks, which are a group.
// CHECKS gap: write4 read4 write4 -> read_write_lines read4
int gap(int* p, const int* q) {
  int value;
  p[0] = 7, value = *q, p[2] = 0;
  return value;
}
