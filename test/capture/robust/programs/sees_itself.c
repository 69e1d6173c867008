// Prints a program's own children, descriptors and exit code. Then has a race, on request.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int x;

static void* work(void* unused) {
  x = 1;
  return unused;
}

static void race(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  int waited = waitpid(-1, 0, WNOHANG), error = errno;
  int first = open("/dev/null", O_RDONLY);
  printf("%d %d %d\n", waited, error == ECHILD, first);
  if (strstr(what, "close")) closefrom(3);
  if (strstr(what, "fork")) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      if (strstr(what, "in-child")) race();
      exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
  }
  if (strstr(what, "borrows") && vfork() == 0) _exit(0);
  if (strstr(what, "race")) race();
  printf("not flushed yet");
  if (strstr(what, "quick")) {
    fflush(stdout);
    quick_exit(9);
  }
  if (strstr(what, "immediately")) {
    fflush(stdout);
    _exit(9);
  }
  return 9;
}
