"""Random programs with threads, one source for many of them, with a schedule that is always the same.

Program and schedule are made together, step by step: a thread is drawn, then an operation that it can do now without having to
wait. Every step stands on a line of its own, between `turn` and `over`, which order the steps in time and synchronise nothing that a
detector sees. So a program runs the same way each time, never deadlocks, and a pair of lines names a race.
"""

import random
import re

PRELUDE = """\
#include <pthread.h>
#include <cstdint>
#include <cstdlib>
#include <linux/futex.h>
#include <climits>
#include "invisible.h"
// Waits asleep: many threads of many programs spin badly.
INVISIBLE void turn(int step) {
  for (int now; (now = __atomic_load_n(&invisible_now, __ATOMIC_SEQ_CST)) != step;)
    syscall(SYS_futex, &invisible_now, FUTEX_WAIT_PRIVATE, now, nullptr);
}
INVISIBLE void over(int step) {
  __atomic_store_n(&invisible_now, step + 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &invisible_now, FUTEX_WAKE_PRIVATE, INT_MAX);
}
alignas(64) static unsigned char memory[3 * 64];
static pthread_mutex_t mutexes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlocks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_cond_t conditions[8];
static pthread_mutex_t condition_mutexes[8];
static int flags[8];
alignas(8) static int atomics[4];
static pthread_barrier_t barriers[2];
static pthread_t threads[8];
#define W1(at) *(volatile uint8_t*)(memory + (at)) = 1
#define W2(at) *(volatile uint16_t*)(memory + (at)) = 1
#define W4(at) *(volatile uint32_t*)(memory + (at)) = 1
#define W8(at) *(volatile uint64_t*)(memory + (at)) = 1
#define R1(at) use(*(volatile uint8_t*)(memory + (at)))
#define R2(at) use(*(volatile uint16_t*)(memory + (at)))
#define R4(at) use(*(volatile uint32_t*)(memory + (at)))
#define R8(at) use((long)*(volatile uint64_t*)(memory + (at)))
#define PLAIN(n) use(*(volatile int*)&atomics[n])
#define PLAIN_WRITE(n) *(volatile int*)&atomics[n] = 1
#define PART(bits, at) (uint##bits##_t*)((char*)atomics + (at))
#define READ_PART(bits, at) use((long)*(volatile uint##bits##_t*)PART(bits, at))
#define WRITE_PART(bits, at) *(volatile uint##bits##_t*)PART(bits, at) = 1
#define SMALL(n) ((uint8_t*)&atomics[3] + (n))
#define PLAIN_SMALL(n) use(*(volatile uint8_t*)SMALL(n))
#define PLAIN_SMALL_WRITE(n) *(volatile uint8_t*)SMALL(n) = 1
"""

# As the compiler's own functions: those of std::atomic are lines of a header, and races at the same two lines are one.
LOADS = ["RELAXED", "ACQUIRE", "SEQ_CST"]
STORES = ["RELAXED", "RELEASE", "SEQ_CST"]
UPDATES = ["RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"]


class Thread:
    def __init__(self, number):
        self.number = number
        self.lines = []
        self.held = []  # (kind, number), innermost last
        self.waits = None  # a condition, or the barrier
        self.started = number == 0
        self.joined = False


class Maker:
    """One program. Thread 0 is main."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.step = 0
        self.threads = [Thread(i) for i in range(self.random.randint(3, 5))]
        self.writers = {}  # lock: thread
        self.readers = {}  # rwlock: threads
        self.conditions = 0
        self.barrier = None  # the threads that are still to come to the barrier that was begun
        self.barrier_sizes = []  # of all that were begun
        # Few places, so that threads meet: neighbours in one word, and accesses of different sizes that overlap.
        self.places = [(size, 8 * word + size * self.random.randrange(8 // size))
                       for word in range(self.random.randint(1, 3)) for size in self.random.choices([1, 2, 4, 8], k=2)]
        # Some programs have adjacent words, others one cache line for each word: the detector starts with lines.
        self.distance = random.Random(f"distance {seed}").choice([8, 64])
        # How often an access is made only under the lock of its word. Without it nearly every program has races at its beginning.
        self.discipline = self.random.choice([0.5, 0.9, 0.97, 1])
        # Programs differ in their mix: some have mostly locks, some mostly atomics.
        self.weights = {name: self.random.choice(choice) for name, choice in (
            ("access", [6, 10]), ("mutex", [0, 3, 8]), ("rwlock", [0, 0, 3]), ("atomic", [0, 1, 4]), ("fence", [0, 0, 1]),
            ("plain", [0, 0, 1]), ("condition", [0, 0, 1]), ("barrier", [0, 0, 1]))}

    def place(self, at):
        return at // 8 * self.distance + at % 8

    def say(self, thread, text, early=False):
        """A step. `early`: others may go on before it is over, since it waits for them."""
        over = f"over({self.step});"
        thread.lines.append(f"turn({self.step}); " + (f"{over} {text}" if early else f"{text} {over}"))
        self.step += 1

    def access(self, thread):
        places = self.places
        if self.random.random() < self.discipline:
            places = [(size, at) for size, at in places if ("mutex", at // 8) in thread.held]
            if not places:
                self.mutex(thread)
                return
        size, at = self.random.choice(places)
        self.say(thread, f"{self.random.choice('RRW')}{size}({self.place(at)});")

    def mutex(self, thread):
        held = [lock for lock in thread.held if lock[0] == "mutex"]
        free = [("mutex", i) for i in range(3) if ("mutex", i) not in self.writers]
        if held and (not free or self.random.random() < 0.6):
            lock = self.random.choice(held)  # not always the innermost
            del self.writers[lock]
            thread.held.remove(lock)
            self.say(thread, f"pthread_mutex_unlock(&mutexes[{lock[1]}]);")
        elif free:
            lock = self.random.choice(free)
            self.writers[lock] = thread
            thread.held.append(lock)
            self.say(thread, f"pthread_mutex_lock(&mutexes[{lock[1]}]);")

    def rwlock(self, thread):
        held = [lock for lock in thread.held if lock[0] != "mutex"]
        if held and self.random.random() < 0.7:
            self.unlock(thread, held[-1])
            return
        number = self.random.randrange(2)
        if ("rwlock", number) in self.writers or thread in self.readers.get(number, ()):
            return
        if self.random.random() < 0.6:
            self.readers.setdefault(number, []).append(thread)
            thread.held.append(("shared", number))
            self.say(thread, f"pthread_rwlock_rdlock(&rwlocks[{number}]);")
        elif not self.readers.get(number):
            self.writers[("rwlock", number)] = thread
            thread.held.append(("rwlock", number))
            self.say(thread, f"pthread_rwlock_wrlock(&rwlocks[{number}]);")

    def unlock(self, thread, lock):
        thread.held.remove(lock)
        kind, number = lock
        if kind == "shared":
            self.readers[number].remove(thread)
        else:
            del self.writers[lock]
        what = "mutex" if kind == "mutex" else "rwlock"
        self.say(thread, f"pthread_{what}_unlock(&{'mutexes' if kind == 'mutex' else 'rwlocks'}[{number}]);")

    def atomic_place(self):
        number = self.random.randrange(3)
        small = self.random.randrange(4) == 0  # several of them in half a cell
        return f"SMALL({number})" if small else f"&atomics[{number}]"

    def atomic(self, thread):
        where = self.atomic_place()
        what = self.random.randrange(3)
        if what == 0:
            self.say(thread, f"use((long)__atomic_load_n({where}, __ATOMIC_{self.random.choice(LOADS)}));")
        elif what == 1:
            self.say(thread, f"__atomic_store_n({where}, 1, __ATOMIC_{self.random.choice(STORES)});")
        else:
            self.say(thread, f"__atomic_fetch_add({where}, 1, __ATOMIC_{self.random.choice(UPDATES)});")

    def fence(self, thread):
        self.say(thread, f"__atomic_thread_fence(__ATOMIC_{self.random.choice(UPDATES[1:])});")

    def plain(self, thread):
        kind = self.random.choice(["PLAIN", "PLAIN", "PLAIN_WRITE", "PLAIN_SMALL", "PLAIN_SMALL_WRITE"])
        self.say(thread, f"{kind}({self.random.randrange(3)});")

    def condition(self, thread):
        """Begins to wait, or wakes the one that waits."""
        waiting = [t for t in self.threads if isinstance(t.waits, int)]
        if waiting:
            other = waiting[0]
            n, other.waits = other.waits, None
            self.say(thread, f"pthread_mutex_lock(&condition_mutexes[{n}]); flags[{n}] = 1; "
                     f"pthread_cond_signal(&conditions[{n}]); pthread_mutex_unlock(&condition_mutexes[{n}]);")
        elif not thread.held and self.conditions < 8 and self.barrier is None and len(self.running()) > 1:
            n = self.conditions
            self.conditions += 1
            self.say(thread, f"pthread_mutex_lock(&condition_mutexes[{n}]);")
            thread.lines.append(f"while (!flags[{n}]) pthread_cond_wait(&conditions[{n}], &condition_mutexes[{n}]);")
            thread.lines.append(f"pthread_mutex_unlock(&condition_mutexes[{n}]);")
            thread.waits = n

    def barrier_step(self, thread):
        if self.barrier is None:
            able = self.running()
            if len(self.barrier_sizes) == 2 or len(able) < 2 or any(t.waits is not None for t in self.threads):
                return
            self.barrier = able
            self.barrier_sizes.append(len(able))
        if thread not in self.barrier:
            return
        self.say(thread, f"pthread_barrier_wait(&barriers[{len(self.barrier_sizes) - 1}]);", early=True)
        self.barrier.remove(thread)
        thread.waits = "barrier"
        if not self.barrier:
            self.barrier = None
            for t in self.threads:
                t.waits = None if t.waits == "barrier" else t.waits

    def running(self):
        """Threads that can do something."""
        return [t for t in self.threads if t.started and not t.joined and t.waits is None]

    def make(self):
        """The functions of the program, by thread: their lines."""
        threads, main = self.threads, self.threads[0]
        steps = self.random.randint(15, 60)
        waiting = list(self.threads[1:])
        while self.step < steps:
            if waiting and main.waits is None and self.random.random() < 0.3:
                other = waiting.pop(0)
                other.started = True
                self.say(main, f"pthread_create(&threads[{other.number}], nullptr, %s_{other.number}, nullptr);")
                continue
            able = self.running()
            thread = self.random.choice(able)
            names = list(self.weights)
            name = self.random.choices(names, [self.weights[n] for n in names])[0]
            getattr(self, "barrier_step" if name == "barrier" else name)(thread)
        self.end(main)
        return threads

    def end(self, main):
        # Who waits is woken, and a barrier that was begun is left by all.
        for thread in list(self.threads):
            if isinstance(thread.waits, int):
                self.condition(next(t for t in self.running()))
        while self.barrier is not None:
            self.barrier_step(self.barrier[0])
        for thread in self.threads:
            for lock in list(reversed(thread.held)):
                self.unlock(thread, lock)
        for thread in self.random.sample(self.threads[1:], len(self.threads) - 1):
            if thread.started:
                thread.joined = True
                self.say(main, f"pthread_join(threads[{thread.number}], nullptr);")
                if self.random.random() < 0.3:
                    self.say(main, f"W8({self.place(8 * self.random.randrange(3))});")


class OverlappingMaker(Maker):
    """Full of atomics of all sizes that overlap, in two words, and are accessed plainly too."""

    def __init__(self, seed):
        super().__init__(seed)
        self.parts = [(8 * size, size * self.random.randrange(16 // size))
                      for size in self.random.choices([1, 2, 4, 8], k=self.random.choice([1, 2, 3, 5]))]
        self.weights |= {name: self.random.choice(choice) for name, choice in (
            ("access", [1, 4]), ("atomic", [4, 8]), ("plain", [4, 8]))}

    def atomic_place(self):
        return "PART({}, {})".format(*self.random.choice(self.parts))

    def plain(self, thread):
        bits, at = self.random.choice(self.parts)
        self.say(thread, f"{self.random.choice(['READ_PART', 'READ_PART', 'WRITE_PART'])}({bits}, {at});")


class GuardedMaker(Maker):
    """Full of sections whose common data is an atomic, relaxed for the most part. Threads are created and joined in sections too."""

    def __init__(self, seed):
        super().__init__(seed)
        self.discipline = self.random.choice([0.8, 0.97, 1])
        self.weights = {name: self.random.choice(choice) for name, choice in (
            ("access", [3, 6]), ("mutex", [4, 8]), ("rwlock", [0, 0, 3]), ("guarded", [6, 10]), ("atomic", [0, 1]), ("plain", [0, 0, 1]))}

    def guarded(self, thread):
        if not thread.held:
            self.mutex(thread)
            return
        number = self.random.randrange(2)
        self.say(thread, self.random.choice([
            f"use((long)__atomic_load_n(&atomics[{number}], __ATOMIC_RELAXED));",
            f"__atomic_store_n(&atomics[{number}], 1, __ATOMIC_RELAXED);",
            f"__atomic_fetch_add(&atomics[{number}], 1, __ATOMIC_RELAXED);"]))

    def end(self, main):
        """Some threads are joined while main is in a section."""
        for thread in self.threads[1:]:
            for lock in list(reversed(thread.held)):
                self.unlock(thread, lock)
        for thread in self.threads[1:]:
            if thread.started and not thread.joined and self.random.random() < 0.7:
                if not main.held:
                    self.mutex(main)
                thread.joined = True
                self.say(main, f"pthread_join(threads[{thread.number}], nullptr);")
                self.access(main)
        self.threads = [t for t in self.threads if not t.joined]
        super().end(main)


class AttemptingMaker(Maker):
    """Full of attempts to take locks that others hold."""

    def __init__(self, seed):
        super().__init__(seed)
        self.weights |= {name: self.random.choice(choice) for name, choice in (
            ("mutex", [3, 8]), ("rwlock", [0, 3]), ("attempt", [2, 5]))}

    def attempt(self, thread):
        # A lock: the threads that hold it.
        held = {lock: [holder] for lock, holder in self.writers.items()}
        held |= {("rwlock", number): list(readers) for number, readers in self.readers.items() if readers}
        free = [lock for lock, holders in held.items() if thread not in holders]
        if not free:
            return
        kind, number = self.random.choice(free)
        reads = kind == "rwlock" and ("rwlock", number) in self.writers and self.random.random() < 0.5
        call = f"mutex_trylock(&mutexes[{number}])" if kind == "mutex" else \
            f"rwlock_try{'rd' if reads else 'wr'}lock(&rwlocks[{number}])"
        self.say(thread, f"if (pthread_{call} == 0) abort();")


MAKERS = {"mixed": Maker, "overlapping": OverlappingMaker, "guarded": GuardedMaker, "attempting": AttemptingMaker}


def source(seeds, kind="mixed"):
    """A program that runs the one of its argument, a seed."""
    lines = PRELUDE.splitlines()
    cases = []
    for seed in seeds:
        maker = MAKERS[kind](seed)
        threads = maker.make()
        name = f"program_{seed}"
        for thread in reversed(threads):
            lines.append(f"static void* {name}_{thread.number}(void*) {{")
            lines += ["  " + (line % name if "%s" in line else line) for line in thread.lines]
            lines += ["  return nullptr;", "}"]
        make = " ".join(f"pthread_barrier_init(&barriers[{i}], nullptr, {size});" for i, size in enumerate(maker.barrier_sizes))
        cases.append(f"    case {seed}: {make} {name}_0(nullptr); break;")
    lines += ["int main(int, char** arguments) {", "  switch (atoi(arguments[1])) {", *cases, "    default: return 2;", "  }", "}"]
    return "\n".join(lines) + "\n"


def stretches(text):
    """For each line of a source: its thread, and the number of releases before it there. A detector may take the accesses of a thread
    between two releases, an epoch, for one another."""
    result, thread, number = {}, "", 0
    for line, content in enumerate(text.splitlines(), 1):
        begin = re.match(r"static void\* (program_\w+)", content)
        if begin:
            thread, number = begin.group(1), 0
        elif re.search(r"unlock|create|barrier|signal|cond_wait|RELEASE|ACQ_REL|(?:store_n|fetch_add|fence).*SEQ_CST", content):
            result[line] = (thread, number)
            number += 1
        else:
            result[line] = (thread, number)
    return result
