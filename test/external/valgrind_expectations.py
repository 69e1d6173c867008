"""Expectations that differ from a program's .stderr.exp files, and why. Checked by hand against the sources.

Everything else follows the rule: a program races if Helgrind or DRD is expected to report a race in it, with any of its options.
"""

# A program, or (program, "arguments") -> race, none, or why it is left out.
PROGRAMS = {
    "annotate_rwlock": "race",                      # its lock admits two writers: it checks for readers only
    ("annotate_smart_pointer", "1 1 0"): "none",    # the reference count is atomic; DRD takes no order from atomics
    "atomic_var": "none",                           # likewise
    "pth_barrier_race": "race",                     # the barrier is destroyed and freed while a thread may be in it
    "pth_cond_destroy_busy": "misuse of a condition variable",
    "pth_destroy_cond": "misuse of a condition variable",
    "bar_bad": "misuse of a barrier",
    "tc20_verifywrap": "misuse of every function, on purpose",
    "omp_matinv": "OpenMP's runtime is not instrumented",
    "omp_prime": "OpenMP's runtime is not instrumented",
    "omp_printf": "OpenMP's runtime is not instrumented",
    "shmem_abits": "asks Valgrind about its own state",
    "thread_name_freebsd": "for FreeBSD",
    "unit_bitmap": "tests a part of Valgrind",
    "unit_vc": "tests a part of Valgrind",
}

# Unit tests of tsan_unittest.cpp by number. The rule there: TP and FN in the heading is a race, TN and FP is none.
UNIT_TESTS = {
    30: "race",  # the flag that publishes is itself unsynchronised
    31: "race",  # likewise
    56: "none",  # annotated as benign
    57: "race",  # the counter is read without an atomic operation
    84: "none",  # the atomic counter orders it, as in atomic_var
    97: "race",  # TP, said further down
    99: "none",  # a regression test of a library; only one thread touches the variable
    102: "race",  # TP, said further down
    115: "no standard says whether sem_open orders",
    122: "none",  # it writes under a reader's lock, but all other writers hold the writer's lock, which excludes readers
    138: "the race needs another assignment of tasks to threads, which is not this execution",
    139: "the race is hidden by an annotation, on purpose",
    142: "needs annotations of queues, which neither detector has",
    143: "needs annotations of queues, which neither detector has",
}
