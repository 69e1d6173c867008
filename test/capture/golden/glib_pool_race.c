// Tasks of one pool are ordered after their push, but not among each other.
// BUILD: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
// EXPECT: race A A
#include <glib.h>

static gint running;
static int shared;

static void task(gpointer item, gpointer unused) {
  (void)unused;
  shared += *(int*)item;  // A
  g_atomic_int_inc(&running);
  while (g_atomic_int_get(&running) < 2) g_thread_yield();  // so that each has a thread
}

int main(void) {
  int items[2] = {1, 2};
  GThreadPool* const pool = g_thread_pool_new(task, NULL, 2, TRUE, NULL);
  for (int i = 0; i < 2; i++) g_thread_pool_push(pool, &items[i], NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  return shared > 0 ? 0 : 1;  // the race may lose one of the two sums
}
