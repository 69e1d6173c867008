"""Debian source packages, fetched once into a folder of the build tree.

The machine may have no deb-src entries, and its configuration must not change. So a private apt folder has entries
derived from the machine's own: the same hosts, `deb-src` for `deb`, of the machine's own release. A package that these
hosts do not have any more comes from a later release there. The machine's apt configuration for proxies and keys still
applies.
"""
import pathlib
import re
import subprocess

APT = pathlib.Path("/etc/apt")
LATER = ("stable", "testing", "unstable")


class FetchError(Exception):
    """A source package could not be fetched or unpacked; the text says why."""


def codename():
    for line in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise FetchError("this machine's release has no code name: not Debian")


def one_line_entries(text, release):
    """The `deb` lines of a sources.list, as `deb-src` lines."""
    for line in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+(?P<options>\[[^\]]*\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)(?P<rest>.*)", line)
        if match and match["suite"].startswith(release):
            options = re.sub(r"\barch=\S+?(?=[\s\]])", "", match["options"] or "")
            yield f"deb-src {options}{match['uri']} {match['suite']}{match['rest']}"


def deb822_entries(text, release):
    """The stanzas of a .sources file, with `Types: deb-src`, and only the suites of the release."""
    for stanza in re.split(r"\n\s*\n", text):
        lines, wanted = [], False
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            name, _, value = line.partition(":")
            if name.lower() == "types":
                line = "Types: deb-src"
            elif name.lower() == "suites":
                suites = [suite for suite in value.split() if suite.startswith(release)]
                wanted = bool(suites)
                line = "Suites: " + " ".join(suites)
            elif name.lower() == "architectures":
                continue
            lines.append(line)
        if wanted:
            yield "\n".join(lines)


def of_release(lines, stanzas, release, other):
    """The same entries, but only those of a release as such (no updates of it), for another release."""
    for entry in lines:
        before, _, after = entry.partition(f" {release} ")
        if after:
            yield f"{before} {other} {after}", None
    for entry in stanzas:
        changed, count = re.subn(rf"^(Suites:).*\b{release}(?!-).*$", rf"\1 {other}", entry, flags=re.MULTILINE)
        if count:
            yield None, changed


class Sources:
    def __init__(self, folder, say):
        self.folder = pathlib.Path(folder)
        self.say = say
        self.options = {}  # release -> apt's options

    def prepare(self, wanted):
        """Writes the private apt folder of a release, and fetches its lists of source packages; apt's options."""
        if wanted in self.options:
            return self.options[wanted]
        release = codename()
        apt = self.folder / ("apt" if wanted == release else f"apt-{wanted}")
        parts = apt / "sources.list.d"
        lists = apt / "lists"
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        parts.mkdir(parents=True, exist_ok=True)
        old = [*([APT / "sources.list"] if (APT / "sources.list").exists() else []), *sorted((APT / "sources.list.d").glob("*.list"))]
        lines = [entry for path in old for entry in one_line_entries(path.read_text(encoding="utf-8"), release)]
        stanzas = [entry for path in sorted((APT / "sources.list.d").glob("*.sources"))
                   for entry in deb822_entries(path.read_text(encoding="utf-8"), release)]
        if not lines and not stanzas:
            raise FetchError(f"apt's configuration names no place with packages of {release}")
        if wanted != release:
            changed = list(of_release(lines, stanzas, release, wanted))
            lines, stanzas = [line for line, _ in changed if line], [stanza for _, stanza in changed if stanza]
        (apt / "sources.list").write_text("\n".join(dict.fromkeys(lines)) + "\n", encoding="utf-8")
        (parts / "derived.sources").write_text("\n\n".join(dict.fromkeys(stanzas)) + "\n", encoding="utf-8")
        settings = {"Dir::Etc::sourcelist": apt / "sources.list", "Dir::Etc::sourceparts": parts,
                    "Dir::State::lists": lists, "Dir::Cache::srcpkgcache": "", "Dir::Cache::pkgcache": "",
                    "APT::Sandbox::User": "root", "Acquire::http::Timeout": 60, "Acquire::Retries": 3,
                    "APT::Get::List-Cleanup": "false", "Acquire::Languages": "none"}
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        if not any(lists.glob("*_Sources*")):
            self.say(f"fetching the lists of source packages of {wanted}")
            self.run(["apt-get", "-q", *options, "update"], "fetching the lists of source packages")
        self.options[wanted] = options
        return options

    def run(self, command, what, cwd=None):
        log = self.folder / "fetch.log"
        with log.open("a", encoding="utf-8") as out:
            if subprocess.run(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=cwd, check=False).returncode:
                raise FetchError(f"{what} failed; the log is {log}")

    def download(self, package):
        """The .dsc of a package, with the files that it names beside it."""
        folder = self.folder / "download" / package
        found = sorted(folder.glob("*.dsc"))
        if not (folder / ".complete").exists():
            self.say(f"fetching the source of {package}")
            failure = None
            for release in (codename(), *LATER):
                try:
                    self.fetch(package, release, folder)
                    break
                except FetchError as error:
                    failure = failure or error
            else:
                raise failure
            found = sorted(folder.glob("*.dsc"))
            (folder / ".complete").touch()
        if len(found) != 1:
            raise FetchError(f"{folder} holds {len(found)} .dsc files, not one")
        return found[0]

    def fetch(self, package, release, folder):
        options = self.prepare(release)
        subprocess.run(["rm", "-rf", folder], check=True)
        folder.mkdir(parents=True)
        self.run(["apt-get", "-q", *options, "source", "--download-only", "--only-source", package], f"fetching the source of {package}", cwd=folder)

    def version(self, package):
        for line in self.download(package).read_text(encoding="utf-8").splitlines():
            if line.startswith("Version:"):
                return line.split()[1]
        raise FetchError(f"the .dsc of {package} names no version")

    def tree(self, package):
        """The unpacked source with Debian's patches, as Debian builds it."""
        dsc = self.download(package)
        folder = self.folder / "source" / package
        if not (folder / ".complete").exists():
            subprocess.run(["rm", "-rf", folder], check=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            self.run(["dpkg-source", "--no-check", "-x", dsc, folder], f"unpacking {package}")
            (folder / ".complete").touch()
        return folder

    def parts(self, package, *inside):
        """Only these folders of the package's original archive; returns the folder that contains them."""
        dsc = self.download(package)
        folder = self.folder / "source" / f"{package}-parts"
        if not (folder / ".complete").exists():
            subprocess.run(["rm", "-rf", folder], check=True)
            folder.mkdir(parents=True)
            self.say(f"unpacking parts of {package}")
            for archive in sorted(dsc.parent.glob("*.orig.tar.*")):
                if not archive.name.endswith(".asc"):
                    self.run(["tar", "-C", folder, "--strip-components=1", "--wildcards", "-xf", archive, *(f"*/{name}" for name in inside)],
                             f"unpacking {package}")
            (folder / ".complete").touch()
        return folder
