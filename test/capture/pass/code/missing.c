// Accesses that the instrumentation leaves out although another thread can reach the memory. Both plugins add their checks.
// BUILD: -mavx512f -mavx512vl
struct Waiter {
  int served_by, result, done;
};
struct Large {
  long numbers[16];
};
void publish(void* object);
long by_value(struct Large copy);
typedef float Four __attribute__((vector_size(16)));

// A member of a variable whose address escapes.
// CHECKS captured: write4:A read4:B -> write4:A read4:B
int captured(void) {
  struct Waiter w;
  publish(&w);
  w.result = 1;  // A
  publish(0);
  return w.done;  // B
}

// The address does not escape.
// CHECKS own: ->
int own(int index) {
  struct Waiter w[4] = {{index}};
  w[index & 3].result = 1;
  return w[(index + 1) & 3].done;
}

// A call copies an argument that is passed in memory.
// CHECKS copied: read_range:C -> read_range:C
long copied(struct Large* p) {
  return by_value(*p);  // C
}

// No other thread has the address; placement removes the check.
// CHECKS copied_own: write8 ->
long copied_own(long number) {
  struct Large mine = {{number}};
  return by_value(mine);
}

// The read is larger than the write of the same address behind it.
// CHECKS narrower: read8:D write4:E -> read_write_lines:D
long narrower(long* p) {
  long value;
  __builtin_memcpy(&value, p, 8);  // D
  int half = (int)(value >> 40);
  __builtin_memcpy(p, &half, 4);  // E
  return value;
}

// What is written was found by the read.
// CHECKS pop: read8 write4 read8 write8 -> read8 read_write_lines write8
struct Node {
  struct Node* next;
  int value;
};
void pop(struct Node** head) {
  struct Node* first = *head;
  first->value = 2;
  *head = first->next;
}

// Lanes of a vector, selected by a mask.
// CHECKS some_lanes: read_bytes:F write_bytes:G -> read_bytes:F write_bytes:G
void some_lanes(float* to, const float* from, unsigned char mask) {
  Four value = __builtin_ia32_loadups128_mask((const Four*)from, (Four){}, mask);  // F
  __builtin_ia32_storeups128_mask((Four*)to, value, mask);  // G
}

// CHECKS packed_lanes: read_range:H -> read_range:H
Four packed_lanes(const float* from, unsigned char mask) {
  return __builtin_ia32_expandloadsf128_mask((const Four*)from, (Four){}, mask);  // H
}
