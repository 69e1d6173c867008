// One function of each family whose memory is the caller's.
// BUILD: -D_GNU_SOURCE -lm
// EXPECT: race A A2
// EXPECT: race B B2
// EXPECT: race C C2
// EXPECT: race D D2
// EXPECT: race E E2
// EXPECT: race F F2
// EXPECT: race G G2
// EXPECT: race H H2
// EXPECT: race I I2
// EXPECT: race J J2
#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include "invisible.h"

struct tm date;
struct timespec now;
struct stat status;
struct utsname names;
char folder[4096], address[64], words[16] = "a b";
char* rest;
int exponent, numbers[8] = {3, 1, 2};
wchar_t wide[8];

static int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}

static void* other(void* unused) {
  const time_t start = 0;
  gmtime_r(&start, &date);  // A
  clock_gettime(CLOCK_REALTIME, &now);  // B
  stat("/", &status);  // C
  uname(&names);  // D
  if (getcwd(folder, sizeof folder) == 0) abort();  // E
  const unsigned number = 0x0100007f;
  inet_ntop(AF_INET, &number, address, sizeof address);  // F
  use((long)strtok_r(words, " ", &rest));  // G
  use((long)frexp(8.0, &exponent));  // H
  qsort(numbers, 3, sizeof *numbers, compare);  // I
  wcscpy(wide, L"wide");  // J
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  use(date.tm_year);  // A2
  use(now.tv_sec);  // B2
  use(status.st_size);  // C2
  use(names.sysname[0]);  // D2
  use(folder[0]);  // E2
  use(address[8]);  // F2
  use((long)rest);  // G2
  use(exponent);  // H2
  use(numbers[2]);  // I2
  use(wide[3]);  // J2
  pthread_join(t, 0);
}
