/* Four threads on one SQLite database file: each inserts and reads through its own connection, and all share one serialised
   connection to a database in memory. Prints what is in the end, which does not depend on the schedule.
   Arguments: the file, and how many rows go into memory for each that goes into the file. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sqlite3.h"

enum { THREADS = 4, ROWS = 40 };
static sqlite3* memory;
static const char* path;
static int scale = 1;

static void must(int code, sqlite3* database, const char* what) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

static void execute(sqlite3* database, const char* text) { must(sqlite3_exec(database, text, NULL, NULL, NULL), database, text); }

static long single(sqlite3* database, const char* text) {
  sqlite3_stmt* statement;
  must(sqlite3_prepare_v2(database, text, -1, &statement, NULL), database, text);
  must(sqlite3_step(statement), database, text);
  const long value = (long)sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static void* work(void* argument) {
  const int id = (int)(long)argument;
  sqlite3* own;
  must(sqlite3_open(path, &own), own, "open");
  sqlite3_busy_timeout(own, 60000);
  char text[200];
  for (int row = 0; row < ROWS; row++) {
    snprintf(text, sizeof text, "INSERT INTO t VALUES (%d, %d, 'row %d of thread %d')", id * ROWS + row, id, row, id);
    execute(own, text);
    for (int copy = 0; copy < scale; copy++) {
      snprintf(text, sizeof text, "INSERT INTO t VALUES (%d, %d, 'row %d of thread %d')", (id * ROWS + row) * scale + copy, id, row, id);
      execute(memory, text);
    }
    if (row % 8 == 0) single(own, "SELECT sum(length(text)) FROM t");
  }
  sqlite3_close(own);
  return NULL;
}

int main(int argc, char** argv) {
  path = argc > 1 ? argv[1] : "threads.db";
  if (argc > 2) scale = atoi(argv[2]);
  unlink(path);
  sqlite3* file;
  must(sqlite3_open(path, &file), file, "open");
  must(sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, NULL), memory, "open");
  execute(file, "PRAGMA journal_mode = WAL");
  execute(file, "PRAGMA synchronous = OFF");
  execute(file, "CREATE TABLE t (id INTEGER PRIMARY KEY, thread INTEGER, text TEXT)");
  execute(memory, "CREATE TABLE t (id INTEGER PRIMARY KEY, thread INTEGER, text TEXT)");
  pthread_t threads[THREADS];
  for (long id = 0; id < THREADS; id++) pthread_create(&threads[id], NULL, work, (void*)id);
  for (int id = 0; id < THREADS; id++) pthread_join(threads[id], NULL);
  printf("%ld %ld %ld\n", single(file, "SELECT count(*) FROM t"), single(memory, "SELECT count(*) FROM t"),
         single(file, "SELECT sum(id * length(text)) FROM t"));
  sqlite3_close(file);
  sqlite3_close(memory);
  return 0;
}
