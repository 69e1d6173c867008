// Checks of every iteration of a loop without synchronisation are moved before the loop.
void unknown(void);
struct Point {
  int x, y, z;
};
int global;

// CHECKS whole_array: read4:A@loop -> read_range:A
int whole_array(int* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[i];  // A
  return sum;
}

// CHECKS backwards: write4@loop -> write_range
void backwards(int* p, int n) {
  for (int i = n; i > 0; --i) p[i] = i;
}

// CHECKS compound: read4@loop write4@loop -> read_write_range
void compound(int* p, int n) {
  for (int i = 0; i < n; ++i) p[i] += 3;
}

// CHECKS two_arrays: read8:B@loop write8:C@loop -> read_range:B write_range:C
void two_arrays(long* p, long* q, int n) {
  for (int i = 0; i < n; ++i) {
    long value = p[i];  // B
    q[i] = value;       // C
  }
}

// The two accesses of an iteration together cover the step.
// CHECKS two_at_a_time: read1@loop read1@loop -> read_range
int two_at_a_time(unsigned char* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[2 * (long)i] * 3 + p[2 * (long)i + 1];
  return sum;
}

// CHECKS neighbours: read8@loop read8@loop write8@loop -> read_range read_range write_range
void neighbours(long* restrict p, long* restrict q, int n) {
  for (int i = 1; i < n; ++i) q[i] = p[i - 1] * 3 + p[i + 1];
}

// CHECKS same_each_time: read4:D@loop write4:E@loop -> read4:D write_range:E
int same_each_time(int* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += global;  // D
    p[i] = sum;     // E
  }
  return sum;
}

// Both loops: the rows are adjacent.
// CHECKS rows: read4@loop -> read_range
int rows(int (*p)[16], int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
#pragma clang loop unroll(disable)
    for (int j = 0; j < 16; ++j) sum ^= p[i][j];
  }
  return sum;
}

// The inner array is the same for every outer iteration.
// CHECKS table: read8@loop write8@loop read8@loop -> read_range read_range write_range
void table(long* restrict p, long* restrict q, int n) {
  for (int i = 0; i < n; ++i) {
    long sum = q[i];
#pragma clang loop unroll(disable)
    for (int j = 0; j < 20; ++j) sum += p[j] ^ sum;
    q[i] = sum;
  }
}

// Whether anything is read is unknown before the outer loop.
// CHECKS table_if_any: read8@loop write8@loop read8@loop -> read_range write_range read_range@loop
void table_if_any(long* restrict p, long* restrict q, int n, int m) {
  for (int i = 0; i < n; ++i) {
    long sum = q[i];
    for (int j = 0; j < m; ++j) sum += p[j] ^ sum;
    q[i] = sum;
  }
}

// How often is not known, but that it is read is.
// CHECKS until_found: read4 write4@loop read1@loop -> read_write_lines read_range@loop read_range
int until_found(unsigned char* p, int* q) {
  int sum = 0;
  do {
    sum += *q;
    *q = sum;
  } while (*p++);
  return sum;
}

// CHECKS call_inside: read4@loop -> read4@loop
int call_inside(int* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += p[i];
    unknown();
  }
  return sum;
}

// CHECKS acquire_inside: read4@loop -> read4@loop
int acquire_inside(int* p, int* flag, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i] * __atomic_load_n(flag, __ATOMIC_ACQUIRE);
  return sum;
}

// A volatile access orders nothing; its own check stays.
// CHECKS volatile_inside: read4@loop read4@loop -> read_range read4@loop
int volatile_inside(int* p, volatile int* flag, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i] * *flag;
  return sum;
}

// Code after the exit may not be reached.
// CHECKS early_exit: read4@loop -> read_range@loop read_range read_range
int early_exit(int* p, int n) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == 7) return i;
  }
  return -1;
}

// CHECKS behind_an_exit: read4@loop write4@loop -> read_range@loop write_range@loop read_range write_range read_range write_range
int behind_an_exit(int* restrict p, int* restrict q, int n) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == 7) return i;
    q[i] = 1;
  }
  return -1;
}

// The first iteration may be the last.
// CHECKS same_behind_an_exit: read4@loop write1@loop -> read4@look write1@look
int same_behind_an_exit(int* p, char* q) {
  int value;
  do {
    value = *p++;
    if (value == 7) return 1;
    *q = 3;
  } while (value != 9);
  return 0;
}

// The number of iterations is known, but the last one may leave early.
// CHECKS two_exits: write4:F@loop write4:G@loop -> write_range:F write_range:G@loop write_range:G
void two_exits(int* restrict p, int* restrict q, long n, long stop) {
  for (long i = 0; i < n; ++i) {
    p[i] = 1;  // F
    if (i == stop) break;
    q[i] = 2;  // G
  }
}

// CHECKS sometimes: read4@loop write4@loop -> read_range write4@look
void sometimes(int* restrict p, int* restrict q, int n) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == 7) q[i] = 1;
  }
}

// CHECKS sometimes_the_same: read4@loop write4@loop -> read4@loop write4@loop
void sometimes_the_same(int* p, int* q, int n) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == 7) {
      *q = i;
      asm volatile("");  // or the compiler writes once, after the loop
    }
  }
}

// May wait for ever: it is unknown whether the second access happens.
// CHECKS endless_inside: write4@loop write4@loop -> write_range write_range write_range write_range write_range@loop write_range@loop
void endless_inside(int* restrict p, int* restrict q, int n, int wait) {
  for (int i = 0; i < n; ++i) {
    p[i] = 1;
    while (wait) asm volatile("");
    q[i] = 2;
  }
}

// There is memory in between that is not accessed.
// CHECKS every_other: read4@loop -> read_strided
int every_other(struct Point* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i].y;
  return sum;
}

// CHECKS two_of_three: read4@loop read4@loop -> read_strided
int two_of_three(struct Point* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i].x * 3 + p[i].z;
  return sum;
}

// CHECKS column: read8@loop -> read_strided
double column(double (*m)[64], long n, int c) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += m[i][c];
  return sum;
}

// The length of a row is unknown before the program runs.
// CHECKS column_of_any_length: read8@loop -> read_strided
double column_of_any_length(double* m, long rows, long columns, long c) {
  double sum = 0;
  for (long i = 0; i < rows; ++i) sum += m[i * columns + c];
  return sum;
}

// CHECKS every_second_backwards: write8@loop -> write_strided
void every_second_backwards(double* p, long n) {
  for (long i = 2 * n; i > 0; i -= 2) p[i] = 0;
}

// A read in between may be of the written memory.
// CHECKS strided_over_read: read1@loop read4@loop write4@loop -> read_range read_write_strided read4@look
int strided_over_read(struct Point* p, int* q, const char* flag, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (flag[i]) sum += q[i];
    p[i].y = 0;
  }
  return sum;
}

// CHECKS wherever: read4@loop write4@loop -> read_range write4@look
void wherever(int* restrict p, int* restrict q, int n) {
  for (int i = 0; i < n; ++i) q[p[i]] = 3;
}

// CHECKS lists: read8@loop -> read8@look
int lists(void** p) {
  int length = 0;
  for (; p; p = *p) ++length;
  return length;
}
