// scanf writes the results that it stores, and reads the text that it scans: texts, sets, numbers of all sizes, %n, positions.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A A2
// EXPECT: race B B2
// EXPECT: race C C2
// EXPECT: race D D2
// EXPECT: race E E2
// EXPECT: race F F2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

char word[16], set[16], source[16] = "17";
long number;
int used;
double real;

static void* other(void* unused) {
  sscanf("word", "%15s", word);  // A
  sscanf("abc1", "%[a-c]", set);  // B
  sscanf("5000000000", "%ld", &number);  // C
  int local;
  sscanf("12 34", "%d%n", &local, &used);  // D
  sscanf("1.5", "%1$lf", &real);  // E
  sscanf(source, "%d", &local);  // F
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  use(word[4]);  // A2
  use(set[1]);  // B2
  use(number >> 32);  // C2
  use(used);  // D2
  use((long)real);  // E2
  source[0] = '3';  // F2
  pthread_join(t, 0);
}
