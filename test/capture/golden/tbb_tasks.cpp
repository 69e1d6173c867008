// Tasks, waits, arenas, graphs and containers of oneTBB: data that is handed over is ordered.
// BUILD: -ltbb
// EXPECT: none
// OUTPUT: 1000 499500 45 7 5050 10
// PEER: reports the hand-over of tasks is in a library without instrumentation
#include <tbb/blocked_range.h>
#include <tbb/concurrent_queue.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstdio>
#include <vector>

static long tree(int depth) {
  if (depth == 0) return 1;
  long left = 0, right = 0;
  tbb::task_group group;
  group.run([&] { left = tree(depth - 1); });
  right = tree(depth - 1);
  group.wait();
  return left + right;
}

int main() {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  std::vector<long> values(1000);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, values.size()),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) values[i] = static_cast<long>(i);
                    });
  const long sum = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, values.size()), 0L,
      [&](const tbb::blocked_range<std::size_t>& range, long part) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) part += values[i];
        return part;
      },
      [](long a, long b) { return a + b; });

  long first = 0, second = 0;
  tbb::parallel_invoke([&] { first = 20; }, [&] { second = 25; });

  tbb::task_arena arena(2);
  long inside = 0;
  arena.execute([&] { inside = 7; });

  tbb::flow::graph graph;
  long total = 0;
  std::vector<long> squares(101);
  tbb::flow::function_node<int, int> store(graph, tbb::flow::unlimited, [&](int i) {
    squares[static_cast<std::size_t>(i)] = i;
    return i;
  });
  tbb::flow::function_node<int, int> add(graph, tbb::flow::serial, [&](int i) {
    total += squares[static_cast<std::size_t>(i)];
    return 0;
  });
  tbb::flow::make_edge(store, add);
  for (int i = 1; i <= 100; ++i) store.try_put(i);
  graph.wait_for_all();

  tbb::concurrent_queue<long*> queue;
  long found = 0;
  tbb::task_group group;
  group.run([&] {
    for (long i = 0; i < 10; ++i) queue.push(new long(1));
  });
  for (int n = 0; n < 10;) {
    long* value = nullptr;
    if (!queue.try_pop(value)) continue;
    found += *value;
    delete value;
    ++n;
  }
  group.wait();
  std::printf("%ld %ld %ld %ld %ld %ld\n", tree(5) == 32 ? static_cast<long>(values.size()) : 0, sum, first + second,
              inside, total, found);
}
