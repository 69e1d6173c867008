"""Random programs that are free of races by construction, and twins with one race.

A program passes plain data from thread to thread. Each hop has a channel (channels.py): the sender writes the datum, then sets the channel
under the channel's lock; the receiver queries it under the same lock until it is set, then uses the datum. So a user of a datum has learned
from its channel that the previous user is done, in every schedule. All threads execute their steps in one global order, so nothing deadlocks.

A twin has two additional threads. Each writes `extra` outside of a critical section whose contents do not conflict with the other's, one before,
the other after it. A forced schedule puts the sections in between, so that happens-before orders the writes of this run. Since the
contents of the sections are visible (own variables, functions without state), the race must be predicted.
"""

import dataclasses
import random

from channels import CHANNELS, HEADER, LOCKS

# Other calls that a twin's section may make: stateless functions.
HARMLESS = ["", "copy[{t}] = text[{t} + 1];", "std::memcpy(copy + {t}, text + 1, 1);", "own[{t}] += (int)std::strlen(text);",
            "own[{t}] += (int)std::sqrt((double)own[{t}]);", "delete new int(own[{t}]);", "std::free(std::malloc(16));",
            "own[{t}] += std::abs(own[{t}]);"]


@dataclasses.dataclass
class Program:
    seed: int
    source: str
    kinds: list  # the channels' kinds, with repetitions
    racy: bool

    @property
    def hides(self):
        return any(not CHANNELS[kind].visible for kind in self.kinds)


def block(declaration, body):
    return "{ " + declaration + " " + body + " }"


def hop_steps(number, kind, lock, earlier):
    """Declarations, the sender's and the receiver's statements of one hop. `earlier`: the kinds of the hops before it."""
    channel = CHANNELS[kind]
    declared, exclusive, asking = ("", "", "")
    if channel.of_process:
        declared, exclusive, asking = (text.format(m=f"lock_{kind}") for text in LOCKS["mutex"])
        if kind in earlier:
            declared = ""
    elif channel.locks:
        declared, exclusive, asking = (text.format(m=f"lock_{number}") for text in LOCKS[lock])
    put = block(exclusive, channel.put.format(i=number))
    ask = (f"for (bool set = false; !set; std::this_thread::yield()) " +
           block(asking, f"set = {channel.asked.format(i=number)};"))
    return "\n".join(filter(None, [declared, channel.declare.format(i=number)])), put, ask


def make(seed, racy, kinds=None):
    """The program of a seed. `kinds`: the kinds of channels to use."""
    rng = random.Random(f"hidden {seed}")
    names = sorted(kinds or CHANNELS)
    threads = [[] for _ in range(rng.randint(2, 4))]
    data, declarations, used = rng.randint(1, 3), [], []
    owners = [rng.randrange(len(threads)) for _ in range(data)]
    for number in range(rng.randint(3, 8)):
        datum = rng.randrange(data)
        sender = owners[datum]
        receiver = rng.choice([t for t in range(len(threads)) if t != sender])
        kind = rng.choice(names)
        declared, put, ask = hop_steps(number, kind, rng.choice(sorted(LOCKS)), used)
        declarations.append(declared)
        used.append(kind)
        threads[sender] += [f"datum_{datum} += {number + 1};", put]
        threads[receiver] += [ask, f"datum_{datum} *= 2;"]
        owners[datum] = receiver
    lines = [HEADER] + declarations + [f"int datum_{d} = 1;" for d in range(data)]
    starts = [f"[] {{ {' '.join(steps)} }}" for steps in threads]
    if racy:
        declared, exclusive, _ = (text.format(m="apart") for text in LOCKS[rng.choice(["mutex", "recursive", "spin"])])
        lines += ["int extra;", "static int own[2];", 'static char copy[2]; static volatile char text[] = "text";'
                  .replace("volatile char", "char"), declared]
        sections = [block(exclusive, f"++own[{t}]; " + rng.choice(HARMLESS).format(t=t)) for t in (0, 1)]
        starts += [f"[] {{ extra = 1;  // A\n {sections[0]} reach(1); }}", f"[] {{ await(1); {sections[1]} extra = 2;  // B\n }}"]
    lines += ["int main(int count, char** arguments) {", "  if (count > 1) open_library(arguments[1]);",
              "  std::thread threads[] = {"]
    lines += [f"    std::thread({start})," for start in starts]
    lines += ["  };", "  for (std::thread& thread : threads) thread.join();",
              '  std::printf("%d\\n", ' + " + ".join(f"datum_{d}" for d in range(data)) + ");", "}"]
    opener = ("#include <dlfcn.h>\nstatic void open_library(const char* path) {\n"
              "  void* const library = dlopen(path, RTLD_NOW);\n"
              "  if (library == nullptr) abort();\n"
              '  opened_put = (void (*)(int))dlsym(library, "opened_put");\n'
              '  opened_has = (int (*)(int))dlsym(library, "opened_has");\n}')
    return Program(seed, "\n".join([lines[0], opener, *lines[1:]]) + "\n", used, racy)
