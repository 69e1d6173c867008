// What printf writes into memory, and the texts that it reads, are accesses: by position, with a precision from an
// argument, by %n, wide, and with long doubles between.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A A2
// EXPECT: race B B2
// EXPECT: race C C2
// EXPECT: race D D2
// EXPECT: race E E2
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include "invisible.h"

char into[64], text[64] = "text", other_text[64] = "other";
wchar_t wide[64] = L"wide";
int printed;

static void* other(void* unused) {
  char local[200];
  snprintf(into, sizeof into, "%d", 12345);  // A
  snprintf(local, sizeof local, "%2$s %1$d %3$Lf", 7, text, 2.5L);  // B
  snprintf(local, sizeof local, "%*d %.*s", 5, 3, 2, other_text);  // C
  snprintf(local, sizeof local, "%ls", wide);  // D
  sprintf(local, "%d%n", 42, &printed);  // E
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  use(into[2]);  // A2
  text[3] = 'x';  // B2
  other_text[1] = 'x';  // C2
  wide[3] = L'x';  // D2
  use(printed);  // E2
  pthread_join(t, 0);
}
