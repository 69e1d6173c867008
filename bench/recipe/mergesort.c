/* Four threads sort a quarter each, main merges; it waits for three of them. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kParts = 4, kPart = 3, kItems = kParts * kPart };
static int item[kItems] = {3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10};
static int sorted[kItems];

static void* sort_part(void* p) {
  const int from = (int)(intptr_t)p * kPart;
  for (int i = from; i + 1 < from + kPart; i++) {
    for (int j = from; j + 1 < from + kPart; j++) {
      if (item[j] > item[j + 1]) {
        const int t = item[j];
        item[j] = item[j + 1];
        item[j + 1] = t;
      }
    }
  }
  return p;
}
static void merge(void) {
  int at[kParts] = {0};
  for (int k = 0; k < kItems; k++) {
    int best = -1;
    for (int part = 0; part < kParts; part++) {
      if (at[part] == kPart) continue;
      if (best < 0 || item[part * kPart + at[part]] < item[best * kPart + at[best]]) best = part;
    }
    sorted[k] = item[best * kPart + at[best]++];
  }
}
int main(void) {
  pthread_t thread[kParts];
  for (intptr_t i = 0; i < kParts; i++) pthread_create(&thread[i], 0, sort_part, (void*)i);
  for (int i = 0; i + 1 < kParts; i++) pthread_join(thread[i], 0);
  merge();
  pthread_join(thread[kParts - 1], 0);
  printf("%d\n", sorted[0]);
}
