"""Runs one command of one cell, and records its exit code and its time: python3 run.py PROGRAM CELL COMMAND."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

# fine, a check failed, bad input: each is a result of the study
RESULTS = (0, 1, 2)
# a machine without a tool says nothing about the design
NO_TOOL = re.compile(r"^error: .*(?:is not installed:|is too old:|headers are not in)", re.MULTILINE)


def run(program: str, cell: str, name: str) -> None:
    """Runs a command in the folder of its cell; its end is written last, so that a stopped run is no result."""
    study = json.loads(Path("study.json").read_text())
    step = next(step for step in study["steps"] if step["name"] == name)
    folder = Path("cells", cell)
    words = ["torusweave", *step["words"]]
    # a path is seen from the study, not from the cell
    called = str(Path(program).absolute()) if os.sep in program else program
    end = folder / f"{name}.end.json"
    printed = folder / (f"{name}.json" if step["json"] else f"{name}.txt")
    log = folder / f"{name}.log"
    start = time.monotonic()
    try:
        with printed.open("wb") as stdout, log.open("wb") as stderr:
            code = subprocess.run(
                [called, *step["words"]], cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, check=False
            ).returncode
    except OSError as error:
        fail(log, f"cannot run {program}: {error.strerror}; name torusweave with --config torusweave=PATH")
    seconds = time.monotonic() - start
    shown = f"`{' '.join(words)}` in {folder}"
    if code not in RESULTS:
        fail(log, f"{shown} was ended by signal {-code}" if code < 0 else f"{shown} ended with exit code {code}")
    if code == 2 and NO_TOOL.search(log.read_text(errors="replace")):
        fail(log, f"{shown} needs a tool that this machine does not have")
    part = end.with_name(f"{end.name}.{os.getpid()}")
    part.write_text(json.dumps({"command": words, "exit": code, "seconds": round(seconds, 3)}, indent=2) + "\n")
    part.replace(end)


def fail(log: Path, reason: str) -> NoReturn:
    """Ends without a result; the reason stands in the log, which Snakemake shows, and on stderr."""
    with log.open("a") as file:
        print(reason, file=file)
    sys.exit(reason)


if __name__ == "__main__":
    run(*sys.argv[1:4])
