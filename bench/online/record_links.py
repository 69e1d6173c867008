#!/usr/bin/env python3
"""Stands for a compiler in a build, and notes the commands that link, so that a program can be linked again with another runtime.

  record_links.py LOG COMPILER ARGUMENT…

Each line of LOG is {"folder": …, "driver": COMPILER, "words": [ARGUMENT…]}.
"""
import json
import os
import sys

NO_LINK = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-dumpversion", "-dumpmachine"}


def main():
    log, *command = sys.argv[1:]
    words = command[1:]
    if "-o" in words and not NO_LINK & set(words):
        with open(log, "a", encoding="utf-8") as out:
            out.write(json.dumps({"folder": os.getcwd(), "driver": command[0], "words": words}) + "\n")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
