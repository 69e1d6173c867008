#!/usr/bin/env python3
"""Stands for a compiler in a build, and notes which sources it compiles with which words.

  record_compiles.py LOG COMPILER ARGUMENT…

Nothing that is made is measured, so all is compiled without optimisation. Each line of LOG is {"folder": …, "sources": [PATH…], "words": [ARGUMENT…]}; the words are without the sources, and without what says what is made and where.
"""
import json
import os
import sys

SOURCES = (".c", ".cc", ".cpp", ".cxx", ".C")
NOTHING_COMPILED = {"-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-###"}
ALONE = {"-c", "-S", "-MD", "-MMD", "-MP"}
WITH_NEXT = {"-o", "-MF", "-MT", "-MQ"}


def split(words):
    """(sources, the words to keep)"""
    sources, kept, rest = [], [], iter(words)
    for word in rest:
        if word in WITH_NEXT:
            next(rest, None)
        elif word.endswith(SOURCES) and not word.startswith("-"):
            sources.append(word)
        elif word not in ALONE:
            kept.append(word)
    return sources, kept


def main():
    log, *command = sys.argv[1:]
    sources, kept = split(command[1:])
    if sources and not NOTHING_COMPILED & set(command):
        with open(log, "a", encoding="utf-8") as out:
            out.write(json.dumps({"folder": os.getcwd(), "sources": sources, "words": kept}) + "\n")
        command += ["-O0", "-g0", "-w"]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
