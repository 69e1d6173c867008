// A timer's signals meet threads that are just beginning: the first event of a thread precedes its handler's.
// EXPECT: none
#include <signal.h>
#include <sys/time.h>

#include <thread>

volatile int seen;

int main() {
  struct sigaction action = {};
  action.sa_handler = [](int) { (void)seen; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  const itimerval often = {{0, 10}, {0, 10}}, never = {};
  setitimer(ITIMER_PROF, &often, nullptr);
  for (int i = 0; i < 5000; ++i) std::thread([] {}).join();
  setitimer(ITIMER_PROF, &never, nullptr);
}
