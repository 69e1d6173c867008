"""Common code of the store's tests: reports, a private PostgreSQL server, and a test case that runs omen.

The server listens on a socket in a temporary folder and nowhere else. PostgreSQL refuses to run for root: then another user runs it.
"""

import contextlib
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time
import unittest

SERVER_WAIT = 60  # seconds, on a busy machine


def frame(function, file, line):
    return {"function": function, "file": file, "line": line, "column": 3, "module": "/src/bank/bank", "offset": "0x1234",
            "build_id": "ab12", "inlined": False}


def race(name, line=10, file="/src/bank/src/net/pool.cpp", fingerprint=None, certainty="observed"):
    """A race on the global `name`; its fingerprint is derived from the name."""
    access = lambda kind, thread, at: {
        "event": thread, "access": kind, "atomic": False, "size": 4, "address": "0x4010", "thread": thread,
        "stack": [frame(f"{kind}_{name}()", file, at)], "locks": []}
    return {"kind": "data-race", "found_by": "wdc", "observed": certainty == "observed",
            "verdict": "race" if certainty == "confirmed" else "unknown", "count": 1,
            "fingerprint": fingerprint or (name.encode().hex() + "0" * 32)[:32],
            "variable": {"kind": "global", "name": name, "address": "0x4010", "size": 4},
            "accesses": [access("write", 1, line), access("read", 0, line + 1)],
            "threads": [{"id": 0, "label": "main", "main": True}, {"id": 1, "label": "T1", "creator": 0}]}


def report(races, pid=77):
    return {"omen": 1, "command": ["./bank"], "pid": pid, "exit": {"code": 66}, "threads": 2, "events": 9, "synchronisations": 4,
            "complete": True, "notes": [], "races": races}


class Postgres:
    """A server that runs until `stop`; `database()` is the URL of an empty store."""

    def __init__(self):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not found:
            raise RuntimeError("expected PostgreSQL's server: Debian's package postgresql (tools/packages/check.txt)")
        self.bin = found[-1]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="omen-pg-"))
        self.number = 0
        self.process = None
        self.user = {}
        if os.getuid() == 0:
            with contextlib.suppress(KeyError):
                self.user = {"user": pwd.getpwnam("postgres").pw_uid, "group": pwd.getpwnam("postgres").pw_gid}
            self.user = self.user or {"user": pwd.getpwnam("nobody").pw_uid, "group": pwd.getpwnam("nobody").pw_gid}
            self.user["extra_groups"] = []
            os.chown(self.folder, self.user["user"], self.user["group"])
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        data = self.folder / "data"
        made = subprocess.run([self.bin / "initdb", "-D", data, "-U", "omen", "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8"],
                              cwd=self.folder, capture_output=True, text=True, **self.user)
        if made.returncode != 0:
            raise RuntimeError(f"initdb failed:\n{made.stdout}{made.stderr}")
        self.log = open(self.folder / "log", "wb")
        settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off", "shared_buffers=16MB"]
        words = [word for setting in settings for word in ("-c", setting)]
        # The kernel ends it with this process.
        alone = ["setpriv", "--pdeathsig", "INT"]
        self.process = subprocess.Popen([*alone, self.bin / "postgres", "-D", data, *words], cwd=self.folder, stdout=self.log, stderr=self.log,
                                        **self.user)
        end = time.monotonic() + SERVER_WAIT
        while subprocess.run([self.bin / "pg_isready", "-q", "-h", self.folder]).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server does not start:\n" + (self.folder / "log").read_text(errors="replace"))
            time.sleep(0.05)

    def stop(self):
        if self.process is not None:
            self.process.send_signal(2)  # fast shutdown
            self.process.wait()
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, url, statement):
        done = subprocess.run([self.bin / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, url], check=True,
                              capture_output=True, text=True)
        return done.stdout

    def database(self):
        """A schema of its own: many times faster than a database, and as empty."""
        self.number += 1
        self.psql(self.url, f"CREATE SCHEMA races{self.number}")
        return f"{self.url}&options=-csearch_path%3Draces{self.number}"

    @property
    def url(self):
        return f"postgresql:///postgres?host={self.folder}&user=omen"


class StoreCase(unittest.TestCase):
    """Runs omen; `self.db` is an empty store of the kind `database`."""

    omen_path = ""
    database = "sqlite"
    server = None

    @classmethod
    def setUpClass(cls):
        if cls.database == "postgresql":
            cls.server = Postgres()
            cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.number = 0
        self.db = self.new_store()

    def new_store(self):
        self.number += 1
        return self.server.database() if self.database == "postgresql" else str(self.folder / f"races{self.number}.db")

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if name not in ("OMEN_STORE", "XDG_DATA_HOME")}
        return {**kept, "HOME": str(self.folder)}

    def omen(self, *words, code=0, environment=None):
        done = subprocess.run([self.omen_path, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env={**self.environment(), **(environment or {})})
        self.assertEqual(done.returncode, code, f"omen {words}\n{done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def store(self, command, *words, code=0, db=None):
        return self.omen("store", command, "--db", db or self.db, *words, code=code)

    def add(self, races, *words, pid=77, db=None):
        return self.store("add", *words, self.write("report.json", report(races, pid)), db=db)

    def json(self, command, *words, db=None):
        return json.loads(self.store(command, "--json", "-", *words, db=db))

    def query(self, statement, db=None):
        """Queries with the database's own client, so that omen's output is not only read by omen. Returns rows of texts."""
        db = db or self.db
        if self.database == "postgresql":
            return [line.split("|") for line in self.server.psql(db, statement).splitlines()]
        import sqlite3
        with contextlib.closing(sqlite3.connect(db)) as connection:
            rows = [[str(value) for value in row] for row in connection.execute(statement)]
            connection.commit()
            return rows


def main(arguments, kinds):
    """Takes PATH-OF-OMEN and, if there are several kinds, the database; the rest is for unittest."""
    StoreCase.omen_path = arguments.pop(1)
    if len(kinds) > 1:
        StoreCase.database = arguments.pop(1)
        assert StoreCase.database in kinds
    return arguments
