// Two tasks of oneTBB in two threads write one variable.
// BUILD: -ltbb
// EXPECT: race A B
// PEER: reports what a task was made of, too: the hand-over of tasks is in a library without instrumentation
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include "invisible.h"

int x;

int main() {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_group group;
  group.run([] {
    x = 1;  // A
    reach(1);
  });
  await(1);  // so another thread runs it
  x = 2;     // B
  group.wait();
}
