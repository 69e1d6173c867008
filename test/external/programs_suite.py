"""Real programs, from Debian source packages, built by their own build systems with the detector's compiler in CC and CXX.

Each runs on a workload whose result does not depend on the schedule; the result and the exit status are compared with those of a
build without a detector. Races that are reported are listed: they are findings, not failures.
"""
import hashlib
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import time

from detectors import CLANG, execute, fresh_folder

NAME = "programs"
TITLE = "Real programs"
TIMEOUT = 900
REPEAT = 1
ANALYSED = 1  # of the repeated runs; the others are only recorded
JOBS = 1  # they have threads of their own, and their times are compared
HERE = pathlib.Path(__file__).resolve().parent
KILOBYTES = 1024


class Trouble(Exception):
    """A workload went wrong; the text says how."""


class Context:
    """The environment of a workload's program: native, or a detector. Collects the results."""
    timeout = TIMEOUT

    def __init__(self, folder, detector, scale=1):
        self.folder = folder
        self.detector = detector
        self.scale = scale  # the size of the workload: bench/recording.py needs longer runs
        self.outcome = []   # must be the same with and without a detector
        self.sites = []
        self.reports = 0
        self.partial = None  # why the detector did not see everything
        self.seconds = 0.0

    def words(self, program):
        self.report = self.folder / f"report{len(self.outcome)}.json"
        self.report.unlink(missing_ok=True)
        return [*(self.detector.prefix(self.report) if self.detector else []), *map(str, program)]

    def environment(self):
        return os.environ | (self.detector.environment if self.detector else {})

    def take(self, name, code, log, seconds):
        kinds, sites = self.detector.reports(self.report, log) if self.detector else ([], [])
        if self.detector:
            self.partial = self.partial or self.detector.partial(self.report, log)
        self.seconds += seconds
        self.reports += len(kinds)
        self.sites += sites
        (self.folder / f"{name}.log").write_text(f"{log}\nexit {code}\n", encoding="utf-8")
        if code is None:
            raise Trouble(f"{name}: timeout")
        self.outcome.append((name, 0 if kinds and code == 66 else code))

    def run(self, name, *program, keep=()):
        """Runs the program to its end; the files in `keep` are part of the outcome."""
        code, log, seconds = execute(self.words(program), self.timeout, cwd=self.folder, env=self.environment())
        self.take(name, code, log, seconds)
        for file in keep:
            path = self.folder / file
            if not path.exists():
                raise Trouble(f"{name}: made no {file} (exit {code})")
            self.outcome.append((file, hashlib.sha256(path.read_bytes()).hexdigest()))
        return log

    def serve(self, name, program, port, client):
        """Starts a server, calls client(stream) when it answers on the port, and waits for its end, which the client has to request."""
        start = time.monotonic()
        with (self.folder / f"{name}.out").open("wb") as out:
            server = subprocess.Popen(self.words(program), stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=self.folder,
                                      env=self.environment(), start_new_session=True)
        try:
            self.outcome.append((name, client(connect(server, port))))
            code = server.wait(self.timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if server.poll() is None:
                os.killpg(server.pid, 9)
                server.wait()
        log = (self.folder / f"{name}.out").read_text(encoding="utf-8", errors="replace")
        self.take(name, code, log, time.monotonic() - start)


def connect(server, port):
    for _ in range(600):
        try:
            return Stream(port)
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise Trouble("the server does not answer")


class Stream:
    """Several connections to a server, used in turn: so several of its threads work."""
    def __init__(self, port, many=8):
        self.sockets = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(many)]
        self.files = [each.makefile("rwb") for each in self.sockets]

    def ask(self, index, text, lines=1):
        file = self.files[index % len(self.files)]
        file.write(text)
        file.flush()
        return b"".join(file.readline() for _ in range(lines))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def text_file(path, kilobytes=KILOBYTES):
    """A file that compresses about as well as prose; always the same."""
    words = random.Random(7)
    alphabet = ["".join(words.choices("etaoinshrdlu", k=words.randint(2, 9))) for _ in range(3000)]
    text = " ".join(words.choices(alphabet, k=kilobytes * 200))[:kilobytes * 1024]
    path.write_text(text, encoding="utf-8")


def compressor(build, pack, unpack, suffix):
    """A workload: pack a file with four threads, unpack it, compare."""
    def work(context, built):
        text_file(context.folder / "in.txt", KILOBYTES * context.scale)
        original = (context.folder / "in.txt").read_bytes()
        context.run("pack", built / pack[0], *pack[1:], "in.txt", keep=[f"in.txt{suffix}"])
        (context.folder / "in.txt").unlink(missing_ok=True)
        context.run("unpack", built / unpack[0], *unpack[1:], f"in.txt{suffix}", keep=["in.txt"])
        if (context.folder / "in.txt").read_bytes() != original:
            raise Trouble("unpack: not what was packed")
    return build, work


def memcached(context, built):
    port = free_port()

    def client(stream):
        answers = []
        for key in range(600 * context.scale):
            value = f"value {key}".encode()
            answers.append(stream.ask(key, b"set k%d 0 0 %d\r\n%s\r\n" % (key % 50, len(value), value)))
            answers.append(stream.ask(key, b"get k%d\r\n" % (key % 50), 3))
            answers.append(stream.ask(key + 1, b"delete nothing\r\n"))
        stream.ask(0, b"shutdown\r\n", 0)
        return hashlib.sha256(b"".join(answers)).hexdigest()
    context.serve("server", [built / "memcached", "-u", "root", "-l", "127.0.0.1", "-p", port, "-t", 4, "-A", "-m", 16], port, client)


def redis(context, built):
    port = free_port()

    def client(stream):
        answers = []
        for key in range(400 * context.scale):
            answers.append(stream.ask(key, b"SET k%d %d\r\n" % (key % 40, key)))
            answers.append(stream.ask(key, b"INCR k%d\r\n" % (key % 40)))
            answers.append(stream.ask(key, b"LPUSH list%d v%d\r\n" % (key % 5, key)))
        for number in range(5):
            answers.append(stream.ask(number, b"UNLINK list%d\r\n" % number))  # freed by a thread of its own
        stream.ask(0, b"SHUTDOWN NOSAVE\r\n", 0)
        return hashlib.sha256(b"".join(answers)).hexdigest()
    context.serve("server", [built / "src" / "redis-server", "--port", port, "--bind", "127.0.0.1", "--io-threads", 4,
                             "--io-threads-do-reads", "yes", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"], port, client)


def sqlite(context, built):
    log = context.run("threads", built / "sqlite_threads", "threads.db", context.scale)
    rows = re.search(r"^\d+ \d+ \d+$", log, re.MULTILINE)
    context.outcome.append(("rows", rows[0] if rows else None))


# Package -> (commands that build it with $CC and $CXX, workload). Four threads everywhere.
PROGRAMS = {
    "pigz": compressor('make CC="$CC" CFLAGS="-g -O1"', ["pigz", "-p4", "-b128", "-n", "-k"], ["unpigz", "-k"], ".gz"),
    "pbzip2": compressor('make pbzip2 CXX="$CXX" CXXFLAGS="-g -O1 -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 '
                         '-DUSE_STACKSIZE_CUSTOMIZATION -Wno-reserved-user-defined-literal"', ["pbzip2", "-p4", "-b1", "-k"], ["pbzip2", "-d", "-p4", "-k"], ".bz2"),
    "xz-utils": compressor('./configure --disable-shared --disable-nls --disable-doc --disable-scripts --disable-lzmainfo '
                           'CC="$CC" CFLAGS="-g -O1" && make', ["src/xz/xz", "-T4", "--block-size=131072", "-3", "-k"],
                           ["src/xz/xz", "-d", "-T4", "-k"], ".xz"),
    "libzstd": compressor('make -C programs zstd CC="$CC" CFLAGS="-g -O1 -DZSTD_DISABLE_ASM=1" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0',
                          ["programs/zstd", "-q", "-T4", "-B131072", "-5", "-k"], ["programs/zstd", "-q", "-d", "-k"], ".zst"),
    "memcached": ('./configure CC="$CC" CFLAGS="-g -O1" && make memcached', memcached),
    "redis": ('make -C src redis-server CC="$CC" MALLOC=libc OPTIMIZATION=-O1 USE_SYSTEMD=no BUILD_TLS=no '
              'USE_SYSTEM_JEMALLOC=no USE_SYSTEM_LUA=no USE_SYSTEM_HIREDIS=no', redis),
    "sqlite3": ('./configure CC=gcc --disable-shared --disable-tcl --disable-readline && make sqlite3.c && '
                f'$CC -g -O1 -pthread -I. {HERE}/workloads/sqlite_threads.c sqlite3.c -o sqlite_threads -ldl -lm', sqlite),
}


def names(sources):
    for package in PROGRAMS:
        try:
            yield package, sources.tree(package)
        except Exception as error:  # an unavailable package is a line in the table, not the end
            yield package, error


def build(package, tree, folder, detector):
    """A copy of the tree, built; None if that fails. An existing build by the same detector (None: by none) is reused."""
    built = folder / "tree"
    stamp = built / ".built"
    fingerprint = detector.fingerprint if detector else ""
    if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint:
        return built
    compilers = {"CC": detector.cc, "CXX": detector.cxx} if detector else {"CC": f"clang-{CLANG}", "CXX": f"clang++-{CLANG}"}
    shutil.rmtree(built, ignore_errors=True)
    shutil.copytree(tree, built, symlinks=True)
    code, log, _ = execute(["bash", "-e", "-c", PROGRAMS[package][0]], TIMEOUT, cwd=built,
                           env=os.environ | (detector.environment if detector else {}) | compilers)
    (folder / "build.log").write_text(log, encoding="utf-8")
    if code != 0:
        return None
    stamp.write_text(fingerprint, encoding="utf-8")
    return built


def work(package, built, folder, detector):
    context = Context(fresh_folder(folder), detector)
    PROGRAMS[package][1](context, built)
    return context


def run_one(package, tree, detector, folder):
    record = {"expect": "same", "outcome": "same", "sites": [], "reports": 0, "seconds": 0, "native_seconds": 0, "runs": 0, "analysed": 0}
    if isinstance(tree, Exception):
        return {package: record | {"outcome": f"source not available ({tree})".split(";", maxsplit=1)[0] + ")"}}
    native_folder = folder.parent / "native" / package
    own_folder = folder / package
    native_folder.mkdir(parents=True, exist_ok=True)
    own_folder.mkdir(parents=True, exist_ok=True)
    native = build(package, tree, native_folder, None)
    if native is None:
        return {package: record | {"outcome": "does not build, also without a detector"}}
    built = build(package, tree, own_folder, detector)
    if built is None:
        return {package: record | {"outcome": "does not build"}}
    try:
        expected = work(package, native, native_folder / "run", None)
        record["native_seconds"] = expected.seconds
        analysed = REPEAT if detector.recording() is detector else min(REPEAT, ANALYSED)
        for index in range(REPEAT):
            context = work(package, built, own_folder / "run", detector if index < analysed else detector.recording())
            record["runs"] += 1
            if index < analysed:
                record["analysed"] += 1
                record["seconds"] += context.seconds / analysed
            record["reports"] += context.reports
            record["sites"] = sorted({*record["sites"], *context.sites})
            differing = [name for (name, got), (_, wanted) in zip(context.outcome, expected.outcome) if got != wanted]
            if differing:
                record["outcome"] = f"differs: {', '.join(differing)}"
                break
            if context.partial:
                record["outcome"] = f"same, but {context.partial}"
    except Trouble as trouble:
        record["outcome"] = str(trouble)
    return {package: record}
