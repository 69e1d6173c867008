"""The commands of `omen replay --gdb`: the program is led to a race, and both threads stop in front of their accesses.

  omen race             shows both threads, their stacks and the memory that both access
  omen step [THREAD]    lets one of them make its access; THREAD is gdb's number of it. The next `omen step` lets the other

The runtime stops in `__omen_race_reached` when both threads stand at their accesses, and in `__omen_race_stepped` when
the thread that was let go has made its own (capture/runtime/schedule/race_stop.cpp).
"""

import gdb

RUNTIME = ("omen::rt", "__omen_", "__tsan_", "__interceptor_", "arrive", "access")


def number(variable, kind="int", index=0):
    """A variable of the runtime, which has no debug information about types."""
    return int(gdb.parse_and_eval(f"(({kind} *)&{variable})[{index}]"))


class Race:
    """What the runtime says of the two accesses."""

    def __init__(self):
        self.address = number("__omen_replay_address", "unsigned long")
        self.bytes = number("__omen_replay_bytes", "unsigned long")
        self.tids = [number("__omen_replay_threads", index=side) for side in (0, 1)]
        self.writes = [number("__omen_replay_writes", index=side) != 0 for side in (0, 1)]

    def is_reached(self):
        return self.address != 0

    def thread(self, side):
        for thread in gdb.selected_inferior().threads():
            if thread.is_valid() and thread.ptid[1] == self.tids[side]:
                return thread
        return None

    def value(self):
        count = min(self.bytes, 16)
        try:
            memory = bytes(gdb.selected_inferior().read_memory(self.address, count))
        except gdb.MemoryError:
            return "not readable"
        if count in (1, 2, 4, 8):
            return str(int.from_bytes(memory, "little"))
        return "0x" + memory.hex()


def is_runtime(frame):
    name = frame.name()
    if name is None:
        return True
    if name.startswith(RUNTIME):
        return True
    place = frame.find_sal()
    return place.symtab is not None and "/capture/runtime/" in place.symtab.filename.replace("\\", "/")


def program_frame():
    """Of the selected thread: the innermost one that is the program's own."""
    frame = gdb.newest_frame()
    while frame is not None and is_runtime(frame):
        frame = frame.older()
    return frame


def place(frame):
    at = frame.find_sal()
    where = f" at {at.symtab.filename}:{at.line}" if at.symtab is not None else ""
    return f"{frame.name()}{where}"


def show(race):
    selected = gdb.selected_thread()
    for side in (1, 0):
        thread = race.thread(side)
        what = "write" if race.writes[side] else "read"
        if thread is None:
            print(f"A thread that has ended: {what}")
            continue
        thread.switch()
        frame = program_frame()
        print(f"Thread {thread.num} (LWP {race.tids[side]}): {what} of {race.bytes} bytes at {race.address:#x}")
        count = 0
        while frame is not None and count < 8:
            print(f"    #{count} {place(frame)}")
            frame, count = frame.older(), count + 1
    if selected is not None and selected.is_valid():
        selected.switch()
    print(f"The memory at {race.address:#x}: {race.value()}")


def select(race, side):
    """The thread, and its frame in the program, are what other commands speak of."""
    thread = race.thread(side)
    if thread is None:
        return
    thread.switch()
    frame = program_frame()
    if frame is not None:
        frame.select()


def reached():
    race = Race()
    if not race.is_reached():
        raise gdb.GdbError("the program has not come to the race: `omen start`")
    return race


class Omen(gdb.Command):
    """Commands for a race that omen replays: omen race, omen step."""

    def __init__(self):
        super().__init__("omen", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class Start(gdb.Command):
    """Run the program up to the race."""

    def __init__(self):
        super().__init__("omen start", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("set pagination off")
        gdb.execute("set confirm off")
        gdb.execute("set print thread-events off")
        for function in ("__omen_race_reached", "__omen_race_stepped"):
            gdb.Breakpoint(function, internal=True).silent = True
        gdb.execute("run")
        if not gdb.selected_inferior().threads():
            print("The program ended, and had not come to the race.")
            return
        race = Race()
        if not race.is_reached():
            print("The program stopped before it came to the race.")
            return
        print("Both threads stand at their accesses.")
        show(race)
        select(race, 1)


class ShowRace(gdb.Command):
    """Show both threads, their stacks, and the memory that both access."""

    def __init__(self):
        super().__init__("omen race", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        show(reached())


class Step(gdb.Command):
    """Let one of the two threads make its access: omen step [THREAD], with gdb's number of the thread.
Without a number, the one that came first in the recorded run; the second time, the other one."""

    def __init__(self):
        super().__init__("omen step", gdb.COMMAND_RUNNING)
        self.first = None
        self.steps = 0

    def side_of(self, race, argument):
        if not argument:
            return 1
        for side in (0, 1):
            thread = race.thread(side)
            if thread is not None and thread.num == int(argument):
                return side
        raise gdb.GdbError(f"thread {argument} is none of the two: `omen race` shows them")

    def invoke(self, argument, from_tty):
        race = reached()
        if self.steps == 2:
            raise gdb.GdbError("both accesses were made; `continue` goes on")
        if self.steps == 0:
            self.first = self.side_of(race, argument)
            gdb.execute(f"set var *(int *)&__omen_replay_first = {self.first}")
            side = self.first
        else:
            side = 1 - self.first
        thread = race.thread(side)
        name = f"Thread {thread.num}" if thread is not None else "The thread"
        before = race.value()
        gdb.execute("continue")
        self.steps += 1
        if not gdb.selected_inferior().threads():
            print(f"{name} made its access, and the program ended.")
            return
        what = "write" if race.writes[side] else "read"
        print(f"{name} has made its {what}: before {before}, now {race.value()}")
        select(race, side)


Omen()
Start()
ShowRace()
Step()
