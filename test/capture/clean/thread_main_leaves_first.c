// main ends by pthread_exit; a worker joins it, reads what it wrote, and ends the program.
// EXPECT: none
// OUTPUT: 17
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;
static int last_word;

static void* worker(void* unused) {
  pthread_join(main_thread, NULL);
  printf("%d\n", last_word);
  fflush(stdout);
  exit(0);
  return unused;
}
int main(void) {
  main_thread = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  last_word = 17;
  pthread_exit(NULL);
}
