#!/usr/bin/env python3
"""Checks what documents say about the tree.

- Every relative link of a Markdown file leads to a file, and to a heading where it has an anchor.
- Every path in backticks that begins with a folder of the project exists. `*` is a pattern, a part in capitals stands for a
  name that the reader chooses.
- In docs/life-of-a-race.md and docs/life-of-an-online-race.md, the name in the second column of each row occurs in the file in the third.
- No text file names a folder of somebody's machine.
- A source or a document over 600 lines is named in a warning; it fails nothing.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {"build", ".git"}
TEXT = {".md", ".hpp", ".cpp", ".txt", ".cmake", ".py", ".sh", ".json", ".v", ".ml", ".std", ".yml", ""}
LONG = {".md", ".hpp", ".cpp", ".py", ".sh", ".v", ".ml", ".txt"}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
CODE_PATH = re.compile(r"`((?:trace|analysis|checker|vindicate|symbolize|capture|mini|relax|report|store|cli|test|bench|docs|tools|cmake|examples|proofs|\.ci)/[\w./*+-]*)`")
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?!README|CMake|LICENSE)[A-Z]{3,}(?![a-z])")
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:home|root|work|Users|usr/local/src)/\w")


def files():
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and path.relative_to(ROOT).parts[0] not in SKIPPED:
            yield path


def without_code(text):
    """The lines of a Markdown file; those inside fences are blank, so that numbers stay right."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            lines.append("")
        else:
            lines.append("" if fenced else line)
    return lines


def anchors(path):
    """The anchors that a renderer gives to the headings of a Markdown file."""
    found = set()
    for line in without_code(path.read_text(encoding="utf-8")):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


def link_errors(path):
    relative = path.relative_to(ROOT)
    for number, line in enumerate(without_code(path.read_text(encoding="utf-8")), 1):
        for match in LINK.finditer(line):
            link = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if not target.exists():
                yield f"{relative}:{number}: the link {link} leads nowhere"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{relative}:{number}: the link {link} leads to no heading"
        for match in CODE_PATH.finditer(line):
            name = match.group(1)
            if PLACEHOLDER.search(name):
                continue
            if not any(ROOT.glob(name.rstrip("/"))):
                yield f"{relative}:{number}: `{name}` does not exist"


def life_errors():
    """Rows of the lives of races whose name is not in the file that stands beside it."""
    for document in ("docs/life-of-a-race.md", "docs/life-of-an-online-race.md"):
        yield from life_errors_of(document)


def life_errors_of(document):
    path = ROOT / document
    rows = re.findall(r"^\| .* \| `([\w:]+)` \| `([\w./-]+)` \|$", path.read_text(encoding="utf-8"), re.MULTILINE)
    if len(rows) < 10:
        yield f"{document}: expected a table of steps"
    for name, file in rows:
        if not (ROOT / file).is_file() or not re.search(rf"\b{re.escape(name)}", (ROOT / file).read_text(encoding="utf-8")):
            yield f"{document}: {file} does not have `{name}`"


def main():
    errors, documents = list(life_errors()), 0
    for path in files():
        relative = path.relative_to(ROOT)
        if path.suffix not in TEXT:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a corpus file
        if path.suffix == ".md":
            documents += 1
            errors.extend(link_errors(path))
        if path.name != "check-docs.py" and "corpus" not in relative.parts:
            for number, line in enumerate(text.splitlines(), 1):
                if MACHINE_PATH.search(line):
                    errors.append(f"{relative}:{number}: names a folder of one machine")
            lines = text.count("\n")
            if path.suffix in LONG and lines > 600:
                print(f"warning: {relative} has {lines} lines")
    for error in errors:
        print(error)
    print(f"{documents} documents, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
