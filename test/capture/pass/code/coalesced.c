// Checks of one kind and one line whose addresses differ by constants, with no synchronisation in between: one check.
void unknown(void);
struct Point {
  int x, y, z;
};
struct Pair {
  int a;
  long unused;
  int b;
};
struct Large {
  long member[10];
};

// CHECKS word_of_bytes: read1:A read1:A read1:A read1:A -> unaligned_read4:A
int word_of_bytes(unsigned char* p) {
  return p[0] * 3 + p[1] * 5 + p[2] * 7 + p[3];  // A
}

// CHECKS aligned: write4:B write4:B -> unaligned_write8:B
void aligned(int* p) {
  p[1] = 2, p[0] = 1;  // B
}

// CHECKS three_members: read4 read4 read4 -> read_bytes
int three_members(struct Point* p) {
  return p->x * 3 + p->y * 5 + p->z;
}

// CHECKS with_a_gap: read4 read4 -> read_bytes
int with_a_gap(struct Pair* p) {
  return p->a * 3 + p->b;
}

// CHECKS long_row: write8 write8 write8 write8 write8 write8 write8 write8 write8 write8 -> write_range
void long_row(long* p) {
  p[0] = 1, p[1] = 3, p[2] = 4, p[3] = 1, p[4] = 5, p[5] = 9, p[6] = 2, p[7] = 6, p[8] = 5, p[9] = 3;
}

// CHECKS variable_index: read1 read1 -> unaligned_read2
int variable_index(unsigned char* p, long i) {
  return p[i] * 3 + p[i + 1];
}

// CHECKS two_bases: read1 read1 read1 read1 -> unaligned_read2 unaligned_read2
int two_bases(unsigned char* p, unsigned char* q) {
  return p[0] * 3 + q[0] * 5 + p[1] * 7 + q[1];
}

// A report has to name the right one.
// CHECKS two_lines: read4:C read4:D -> read_write_lines:C
int two_lines(struct Point* p) {
  return p->x * 3 +  // C
         p->y;       // D
}

// CHECKS two_kinds: read4 write4 -> read_write_lines
int two_kinds(struct Point* p) {
  int x = p->x; p->y = 3; return x;
}

// CHECKS call_between: read4 read4 -> read4 read4
int call_between(struct Point* p) {
  int x = p->x; unknown(); return x * 3 + p->y;
}

// If the second access is reached, the first one's check is merged into it.
// CHECKS only_sometimes: read4 read4 -> read4 unaligned_read8
int only_sometimes(struct Point* p) {
  return p->x ? p->y * 3 : 0;
}

// CHECKS volatile_members: read4 read4 -> read4 read4
int volatile_members(volatile struct Point* p) {
  return p->x * 3 + p->y;
}

// CHECKS acquire_between: read4 read4 -> read4 read4
int acquire_between(struct Point* p, int* flag) {
  int x = p->x; int f = __atomic_load_n(flag, __ATOMIC_ACQUIRE); return x * f + p->y;
}

// There is no check for three compound accesses at once, nor for two whose alignment is not known.
// CHECKS compound: read4 write4 read4 write4 -> read_write_lines
int compound(struct Point* p) {
  int x = ++p->x; return x + ++p->y;
}

// The value read goes nowhere else.
// CHECKS updates: read_update4 read_update4 -> read_update4 read_update4
void updates(struct Point* p) {
  ++p->x, ++p->y;
}

// CHECKS looked_at: read4 write4 -> read_write4
int looked_at(struct Point* p) {
  p->x += 2; return p->x > 7;
}

// CHECKS divided: read4 write4 -> read_write4
void divided(struct Point* p, int by) {
  p->x = by / p->x;
}

// CHECKS stored_elsewhere: read4 write4 write4 -> read_write4 write4
void stored_elsewhere(struct Point* p, int* copy) {
  *copy = ++p->x;
}
