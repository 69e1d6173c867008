"""The real programs: Debian source packages, how their own build systems build them with $CC and $CXX, and a fixed workload for each.

Libraries that do much of a program's work (libbz2, zlib) are built with it, so that they are instrumented too. Hand-written assembly is
left out: no detector sees it. Each workload takes about 2 s of processor time without a detector, of which a context may ask for a part
(Context.scale), and has a result that does not depend on the schedule. docs/performance.md describes what is done with them.
"""
import dataclasses
import pathlib
import random
import typing

import programs_suite
import traffic
from programs_suite import PROGRAMS, Trouble, free_port

HERE = pathlib.Path(__file__).resolve().parent
SQLITE_THREADS = pathlib.Path(programs_suite.__file__).resolve().parent / "workloads" / "sqlite_threads.c"
LEVELDB_THREADS = HERE / "workloads" / "leveldb_threads.cpp"


@dataclasses.dataclass
class Program:
    name: str
    packages: list  # the program's, then those of libraries that are built with it, in folders of these names
    binary: str     # where the build puts it
    build: str
    work: typing.Callable  # (context, folder of the build)
    files: list = dataclasses.field(default_factory=list)  # of this tree, that are compiled with it


def of_suite(package):
    """The commands of the external tests, at the level at which programs are distributed."""
    return PROGRAMS[package][0].replace("-O1", "-O2")


def compressor(binary, kilobytes, pack, unpack, suffix):
    """Pack a file, unpack it, compare. In the options THREADS stands for the number of threads."""
    def with_threads(options, context):
        return [option.replace("THREADS", str(context.threads)) for option in options]

    def work(context, built):
        size = round(kilobytes * context.scale)
        text = context.input(f"text-{size}", lambda path: programs_suite.text_file(path, size))
        given = context.folder / "in.txt"
        given.hardlink_to(text)
        context.run("pack", built / binary, *with_threads(pack, context), "in.txt", keep=[f"in.txt{suffix}"])
        given.unlink(missing_ok=True)
        context.run("unpack", built / binary, *with_threads(unpack, context), f"in.txt{suffix}", keep=["in.txt"])
        if given.read_bytes() != text.read_bytes():
            raise Trouble("unpack: not what was packed")
    return work


def sqlite(context, built):
    context.scale = max(1, round(6000 * context.scale))
    programs_suite.sqlite(context, built)


def leveldb(context, built):
    log = context.run("threads", built / "leveldb_threads", "threads.leveldb", round(450000 * context.scale))
    context.outcome.append(("checksum", next((line for line in log.splitlines() if line.startswith("checksum ")), None)))


def film(path, frames=60, width=352, height=288):
    """Planes of a moving pattern with some noise, as raw 4:2:0 frames."""
    noise = random.Random(11)
    rows = [bytes((x * 3 + y * 2 + (x * y >> 6)) % 200 + 20 for x in range(width * 2)) for y in range(height * 2)]
    flat = bytes(128 for _ in range(width // 2))
    with path.open("wb") as out:
        for frame in range(frames):
            for y in range(height):
                row = bytearray(rows[(y + frame) % (2 * height)][2 * frame % width:][:width])
                for _ in range(12):
                    row[noise.randrange(width)] = noise.randrange(256)
                out.write(row)
            for y in range(height):
                out.write(flat if (y + frame) % 16 else bytes(reversed(rows[y][:width // 2])))


def x264(context, built):
    given = context.input("film.yuv", film)
    context.run("encode", built / "x264", "--threads", context.threads, "--demuxer", "raw", "--frames", max(1, round(60 * context.scale)), "--input-res", "352x288",
                "--fps", 25, "--qp", 26, "--aq-mode", 0, "--no-progress", "-o", "out.264", given, keep=["out.264"])


def folder_of_files(path, files, kilobytes=200):
    """Texts, each four times under different names."""
    path.mkdir()
    for number in range(files):
        programs_suite.text_file(path / f"{number}.txt", kilobytes + number - number % 4)


def mksquashfs(context, built):
    files = max(1, round(180 * context.scale))
    given = context.input(f"files-{files}", lambda path: folder_of_files(path, files))
    context.run("pack", built / "squashfs-tools/mksquashfs", given, "out.squashfs", "-processors", context.threads, "-comp", "gzip", "-noappend",
                "-no-progress", "-all-root", "-all-time", 0, "-mkfs-time", 0, "-no-xattrs", keep=["out.squashfs"])


def talk(batch, most_keys, rounds, goodbye):
    """What a client does with a server; less than a round is one with fewer keys."""
    keys = max(1, round(most_keys * min(1, rounds)))
    return lambda stream: traffic.talk(stream, lambda number: batch(number, keys), max(1, round(rounds)), goodbye)


def memcached(context, built):
    port = free_port()
    context.serve("server", [built / "memcached", "-u", "root", "-l", "127.0.0.1", "-p", port, "-t", context.threads, "-A", "-m", 256], port,
                  talk(traffic.memcached_batch, traffic.MEMCACHED_KEYS, 100 * context.scale, b"shutdown\r\n"))


def redis(context, built):
    """Without I/O threads: they spin while they wait, as long as the machine lets them."""
    port = free_port()
    context.serve("server", [built / "src" / "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
                             "--appendonly", "yes", "--appendfsync", "everysec"], port,
                  talk(traffic.redis_batch, traffic.REDIS_KEYS, 22 * context.scale, b"SHUTDOWN NOSAVE\r\n"))


BZIP2 = 'make -C bzip2 libbz2.a CC="$CC" CFLAGS="-g -O2 -D_FILE_OFFSET_BITS=64"'
ZLIB = '(cd zlib && CFLAGS="-g -O2" ./configure --static && make libz.a)'
LEVELDB = ('cmake -S . -B made -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-g -O2 -DNDEBUG" -DLEVELDB_BUILD_TESTS=OFF '
           '-DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=0 -DHAVE_TCMALLOC=0 && make -C made leveldb && '
           f'$CXX -std=c++17 -g -O2 -pthread -Iinclude {LEVELDB_THREADS} -c -o threads.o && '
           '$CXX -pthread threads.o made/libleveldb.a -o leveldb_threads')
SQLITE = ('./configure CC=gcc --disable-shared --disable-tcl --disable-readline && make sqlite3.c && '
          '$CC -g -O2 -pthread -c sqlite3.c -o amalgamation.o && '
          f'$CC -g -O2 -pthread -I. -c {SQLITE_THREADS} -o threads.o && $CC -pthread threads.o amalgamation.o -o sqlite_threads -ldl -lm')

PROGRAMS_MEASURED = {program.name: program for program in (
    Program("zstd", ["libzstd"], "programs/zstd", of_suite("libzstd"),
            compressor("programs/zstd", 40 << 10, ["-q", "-TTHREADS", "-B1048576", "-9", "-k"], ["-q", "-d", "-k"], ".zst")),
    Program("xz", ["xz-utils"], "src/xz/xz", of_suite("xz-utils"),
            compressor("src/xz/xz", 6 << 10, ["-TTHREADS", "--block-size=786432", "-3", "-k"], ["-d", "-TTHREADS", "-k"], ".xz")),
    Program("pbzip2", ["pbzip2", "bzip2"], "pbzip2", f"{BZIP2} && " + of_suite("pbzip2") + ' LDFLAGS="-Ibzip2 -Lbzip2"',
            compressor("pbzip2", 15 << 10, ["-pTHREADS", "-b5", "-k"], ["-d", "-pTHREADS", "-k"], ".bz2")),
    Program("sqlite3", ["sqlite3"], "sqlite_threads", SQLITE, sqlite, [SQLITE_THREADS]),
    Program("pigz", ["pigz", "zlib"], "pigz", f'{ZLIB} && make pigz CC="$CC" CFLAGS="-g -O2 -Izlib" LDFLAGS="-Lzlib"',
            compressor("pigz", 32 << 10, ["-pTHREADS", "-k", "-n"], ["-d", "-k"], ".gz")),
    Program("memcached", ["memcached"], "memcached", of_suite("memcached"), memcached),
    Program("redis", ["redis"], "src/redis-server", of_suite("redis"), redis),
    Program("leveldb", ["leveldb"], "leveldb_threads", LEVELDB, leveldb, [LEVELDB_THREADS]),
    Program("x264", ["x264"], "x264", './configure --disable-asm --disable-opencl --bit-depth=8 --disable-avs --disable-swscale --disable-lavf '
            '--disable-ffms --disable-gpac --disable-lsmash --extra-cflags="-g -O2" && make x264', x264),
    Program("mksquashfs", ["squashfs-tools", "zlib"], "squashfs-tools/mksquashfs",
            f'{ZLIB} && make -C squashfs-tools mksquashfs CC="$CC" EXTRA_CFLAGS="-g -I../zlib" EXTRA_LDFLAGS="-L../zlib" XATTR_SUPPORT=0',
            mksquashfs),
)}
