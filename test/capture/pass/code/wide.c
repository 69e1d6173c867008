// Accesses of sizes that the instrumentation has no callback for. Both plugins add their checks.
typedef int Eight __attribute__((vector_size(32)));
typedef int ThirtyTwo __attribute__((vector_size(128)));

// CHECKS wide_store: write_bytes:A -> write_bytes:A
void wide_store(Eight* p, const int* x) {
  const int value = (int)(long)x;
  *p = (Eight){value, value, value, value, value, value, value, value};  // A
}

// CHECKS wide_copy: read_bytes:B write_bytes:B -> read_bytes:B write_bytes:B
void wide_copy(Eight* to, const Eight* from) {
  *to = *from;  // B
}

// CHECKS wider: write_range:C -> write_range:C
void wider(ThirtyTwo* p) {
  *p = (ThirtyTwo){};  // C
}

// CHECKS extended: read_bytes:D -> read_bytes:D
long extended(const long double* p) {
  return (long)*p;  // D
}

// Memory that no other thread can reach, and constants, have no checks.
// CHECKS own: ->
int own(int index) {
  Eight mine = {index, 1, 2, 3, 4, 5, 6, 7};
  return mine[index % 8];
}
static const Eight table[4] = {{1}, {2}, {3}, {4}};
// CHECKS constant: write_bytes:E -> write_bytes:E
void constant(Eight* to, unsigned index) {
  *to = table[index % 4];  // E
}

// CHECKS volatile_wide: write_bytes -> write_bytes
void volatile_wide(volatile Eight* p, Eight* from) {
  (void)from;
  *p = (Eight){1, 2, 3, 4, 5, 6, 7, 8};
}
