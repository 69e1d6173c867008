// GLib's own means of synchronisation: they wait and change atomics inside libglib.
// BUILD: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
// RUN: mutex
// RUN: trylock
// RUN: recursive
// RUN: readers
// RUN: condition
// RUN: bits
// RUN: once
// RUN: initialised
// RUN: queue
// RUN: pool
// RUN: loop
// EXPECT: none
// PEER: reports the synchronisation is in a library without instrumentation
#include <glib.h>
#include <string.h>

static GMutex mutex;
static GCond condition;
static GRWLock lock;
static GRecMutex recursive;
static GAsyncQueue* queue;
static int shared, ready;

static gpointer in_mutex(gpointer unused) {
  for (int i = 0; i < 100; i++) {
    g_mutex_lock(&mutex);
    shared++;
    g_mutex_unlock(&mutex);
  }
  return unused;
}

static gpointer in_trylock(gpointer unused) {
  for (int i = 0; i < 100; i++) {
    if (!g_mutex_trylock(&mutex)) continue;
    shared++;
    g_mutex_unlock(&mutex);
  }
  return unused;
}

static gpointer in_recursive(gpointer unused) {
  for (int i = 0; i < 100; i++) {
    g_rec_mutex_lock(&recursive);
    g_rec_mutex_lock(&recursive);
    shared++;
    g_rec_mutex_unlock(&recursive);
    g_rec_mutex_unlock(&recursive);
  }
  return unused;
}

static gpointer in_readers_lock(gpointer unused) {
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    g_rw_lock_writer_lock(&lock);
    shared++;
    g_rw_lock_writer_unlock(&lock);
    g_rw_lock_reader_lock(&lock);
    sum += shared;
    g_rw_lock_reader_unlock(&lock);
  }
  return sum < 0 ? NULL : unused;
}

static gpointer waits(gpointer unused) {
  g_mutex_lock(&mutex);
  while (!ready) g_cond_wait(&condition, &mutex);
  g_mutex_unlock(&mutex);
  shared++;
  return unused;
}

static gpointer signals(gpointer unused) {
  shared = 5;
  g_mutex_lock(&mutex);
  ready = 1;
  g_cond_broadcast(&condition);
  g_mutex_unlock(&mutex);
  return unused;
}

static gint bits;
static gpointer in_bit_lock(gpointer unused) {
  for (int i = 0; i < 100; i++) {
    g_bit_lock(&bits, 3);
    shared++;
    g_bit_unlock(&bits, 3);
  }
  return unused;
}

static GOnce once = G_ONCE_INIT;
static int* made;
static gpointer make(gpointer unused) {
  made = g_new0(int, 4);
  made[1] = 7;
  return unused;
}
static gpointer uses_once(gpointer unused) {
  g_once(&once, make, NULL);
  return made[1] == 7 ? unused : NULL;
}

static gpointer initialises(gpointer unused) {
  static gsize done;
  static int value;
  if (g_once_init_enter(&done)) {
    value = 9;
    g_once_init_leave(&done, 1);
  }
  return value == 9 ? unused : NULL;
}

static gpointer pushes(gpointer unused) {
  for (int i = 0; i < 50; i++) {
    int* const item = g_new(int, 1);
    *item = i;
    g_async_queue_push(queue, item);
  }
  return unused;
}
static gpointer pops(gpointer unused) {
  for (int i = 0; i < 50; i++) {
    int* const item = g_async_queue_pop(queue);
    *item += 1;
    g_free(item);
  }
  return unused;
}

static void task(gpointer item, gpointer count) {
  *(int*)item += 1;
  g_atomic_int_inc((gint*)count);
}

static int use_pool(void) {
  gint count = 0;
  int items[20] = {0};
  int sum = 0;
  GThreadPool* const pool = g_thread_pool_new(task, &count, 3, TRUE, NULL);
  for (int i = 0; i < 20; i++) g_thread_pool_push(pool, &items[i], NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  for (int i = 0; i < 20; i++) sum += items[i];
  return sum;
}

static GMainLoop* loop;
static gboolean ends_loop(gpointer value) {
  *(int*)value += 1;
  g_main_loop_quit(loop);
  return FALSE;
}
static gpointer adds_source(gpointer value) {
  *(int*)value = 3;
  g_idle_add(ends_loop, value);
  return NULL;
}

static int use_loop(void) {
  int value = 0;
  loop = g_main_loop_new(NULL, FALSE);
  GThread* const thread = g_thread_new("adds", adds_source, &value);
  g_main_loop_run(loop);
  value += 1;
  g_thread_join(thread);
  g_main_loop_unref(loop);
  return value;
}

static void together(GThreadFunc one, GThreadFunc two) {
  GThread* const first = g_thread_new("one", one, NULL);
  GThread* const second = g_thread_new("two", two, NULL);
  g_thread_join(first);
  g_thread_join(second);
}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "";
  if (!strcmp(what, "mutex")) together(in_mutex, in_mutex);
  if (!strcmp(what, "trylock")) together(in_trylock, in_mutex);
  if (!strcmp(what, "recursive")) together(in_recursive, in_recursive);
  if (!strcmp(what, "readers")) together(in_readers_lock, in_readers_lock);
  if (!strcmp(what, "condition")) together(waits, signals);
  if (!strcmp(what, "bits")) together(in_bit_lock, in_bit_lock);
  if (!strcmp(what, "once")) together(uses_once, uses_once);
  if (!strcmp(what, "initialised")) together(initialises, initialises);
  if (!strcmp(what, "queue")) {
    queue = g_async_queue_new();
    together(pushes, pops);
  }
  if (!strcmp(what, "pool") && use_pool() != 20) return 1;
  if (!strcmp(what, "loop") && use_loop() != 5) return 1;
  return 0;
}
