// Constants have no checks, however their address is found. What is computed when the program starts is written then.

static const int table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6};
static const int other[64] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3, 6};
int computed();
static const int at_start = computed();
int variable[64];

extern "C" {

// CHECKS in_table: ->
int in_table(int at) {
  return table[at];
}

// CHECKS one_of_two: read4 ->
int one_of_two(int at, bool which) {
  return (which ? table : other)[at];
}

// CHECKS along: read4@loop ->
int along(int at) {
  int sum = 0;
  for (const int* p = table + at; *p; ++p) sum += *p ^ sum;
  return sum;
}

// CHECKS or_variable: read4 -> read4
int or_variable(int at, bool which) {
  return (which ? table : variable)[at];
}

// CHECKS of_start: read4 -> read4
int of_start() {
  return at_start;
}
}
