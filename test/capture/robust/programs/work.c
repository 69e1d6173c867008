// Two threads, as many rounds as the first argument says.
#include "work.h"
#include <stdio.h>

int main(int count, char** arguments) {
  printf("%ld\n", work(2, count > 1 ? atol(arguments[1]) : 1000));
  return 7;
}
