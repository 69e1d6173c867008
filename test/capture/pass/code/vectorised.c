// The compiler vectorises loops and recognises copies as it would without a detector; the checks are those of the source loop.
// BUILD: -fvectorize -fslp-vectorize

// CHECKS star: unaligned_read16@loop unaligned_write16@loop unaligned_read8@loop unaligned_write8@loop read1@loop write1@loop -> read_range write_range
void star(char* p, const char* q, long n) {
  while (n--) *p++ = *q++;
}

// CHECKS scale: read16@loop write16@loop read8@loop write8@loop -> read_write_range
void scale(double* a, long n) {
  for (long i = 0; i < n; ++i) a[i] *= 2;
}

// CHECKS dot: read8@loop read4@loop -> read_range read_range
double dot(const double* a, const float* b, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// CHECKS until: read1@loop -> read_range@loop read_range
long until(const char* p) {
  long i = 0;
  while (p[i]) ++i;
  return i;
}
