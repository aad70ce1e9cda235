"""Refusals before a design answers: descriptions of every wrong kind, lines that are silent, full, or never still.

usage: refusals.py DIR...

Each DIR has a design.
"""

import copy
import json
import os
import socket
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Tuple

from beside import refused

import torusweave
from torusweave import TorusError, _about


OTHERS: Tuple[Any, ...] = (None, True, -1, 1 << 40, 1.5, "", "x", [], {}, [None], {"x": 1}, "\ud800")


def damaged(value: Any, where: Tuple[Any, ...] = ()) -> Iterator[Tuple[Tuple[Any, ...], Any]]:
    """Copies of a JSON value, each without one part or with another in its place."""

    def at(place: Tuple[Any, ...]) -> Tuple[Any, Any]:
        whole = copy.deepcopy(value)
        inner = whole
        for key in place[:-1]:
            inner = inner[key]
        return whole, inner

    def places(part: Any, place: Tuple[Any, ...]) -> Iterator[Tuple[Any, ...]]:
        keys = part.keys() if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
        for key in keys:
            yield (*place, key)
            yield from places(part[key], (*place, key))

    for place in places(value, where):
        whole, inner = at(place)
        del inner[place[-1]]
        yield place, whole
        for other in OTHERS:
            whole, inner = at(place)
            inner[place[-1]] = other
            yield place, whole


def descriptions(folder: Path) -> int:
    """Every field in turn is missing or of another kind: refused, or it says nothing of words."""
    (path,) = folder.glob("*_programs.json")
    about = json.loads(path.read_text())
    # a part of each list says what the whole would
    for name in ("network", "config"):
        assert name in about
    count = 0
    with tempfile.TemporaryDirectory() as place:
        new = Path(place) / "other_programs.json"
        whole = {**about, "config": {}}
        for where, other in damaged(whole):
            if json.dumps(other) == json.dumps(whole):
                continue
            new.write_text(json.dumps(other))
            try:
                read = _about.description(new)
            except TorusError as error:
                assert str(new) in str(error), error
                count += 1
                continue
            # the change is in a part that is not used
            same = all(read.get(name) == about.get(name) for name in _about.COVERED)
            is_free = where[0] in ("name", "bus", "config") or where[0] in ("registers", "codes") and same
            assert is_free, f"{where} passes"
        for text in (b"", b"{", b"[1]", b"null", b"\xff", b"[" * 100000, b"1" * 100000, b'{"format": 1e999}'):
            new.write_bytes(text)
            refused(lambda: _about.description(new), str(new))
            count += 1
        new.unlink()
        os.mkfifo(new)
        refused(lambda: torusweave.connect(f"sim:{place}"), "")
    return count


def lines(folder: str) -> None:
    """A line that is silent, one that takes nothing, and one that keeps sending: each call ends in its time."""

    def within(seconds: float, call: Callable[[], Any], *words: str) -> None:
        began = time.monotonic()
        refused(call, *words)
        took = time.monotonic() - began
        assert took < seconds, f"{words}: {took:.1f} s"

    def served(session: Callable[[socket.socket], None]) -> str:
        listener = socket.create_server(("127.0.0.1", 0))

        def serve() -> None:
            stream, _ = listener.accept()
            try:
                session(stream)
            except OSError:
                pass

        threading.Thread(target=serve, daemon=True).start()
        return f"tcp:127.0.0.1:{listener.getsockname()[1]}"

    silent = served(lambda stream: time.sleep(60))
    within(3, lambda: torusweave.connect(silent, folder, timeout=1), "no design answers within 1 s")
    closed = served(lambda stream: stream.close())
    within(3, lambda: torusweave.connect(closed, folder, timeout=1), "one client at a time")

    def chatter(stream: socket.socket) -> None:
        while True:
            stream.sendall(struct.pack(">4I", 0x54574345, 1, 0x54574345, 1) * 4096)

    within(4, lambda: torusweave.connect(served(chatter), folder, timeout=1), "keeps sending")
    # slow, and never still
    def trickle(stream: socket.socket) -> None:
        while True:
            stream.sendall(b"\x54")
            time.sleep(0.005)

    # a busy machine sees the line still for a moment: then nothing answers
    within(4, lambda: torusweave.connect(served(trickle), folder, timeout=1), "no design answers within 1 s")
    # nobody reads the other end of a pseudo-terminal
    master, slave = os.openpty()
    within(4, lambda: torusweave.connect(f"serial:{os.ttyname(slave)}", folder, timeout=1), "no design answers")
    import tty

    tty.setraw(slave)
    os.set_blocking(slave, False)
    try:
        while True:
            os.write(slave, b"x" * 4096)
    except BlockingIOError:
        pass
    within(4, lambda: torusweave.connect(f"serial:{os.ttyname(slave)}", folder, timeout=1), "nothing was taken within 1 s")
    os.close(master)
    for where in ("", "sim:", "tcp:", "tcp:x", "tcp:127.0.0.1:99999999", "serial:/dev/null/x", "usb:1", "tcp:127.0.0.1:1"):
        within(3, lambda: torusweave.connect(where, folder, timeout=1))
    within(3, lambda: torusweave.connect("serial:/dev/zero", folder, timeout=1))
    for timeout in (0, -1, float("nan"), float("inf"), "1", None):
        refused(lambda: torusweave.connect(silent, folder, timeout=timeout), "timeout: must be")  # type: ignore[arg-type]
    for baud in (0, -1, 9600.0, "9600", None, True):
        refused(lambda: torusweave.connect(silent, folder, baud=baud), "baud: must be", repr(baud))  # type: ignore[arg-type]
    for where in ([], None, 3, Path(folder), [None], b"sim:x"):
        refused(lambda: torusweave.connect(where, folder), "where: no line is named (is ", repr(where), "use sim:DIR")  # type: ignore[arg-type]
    for where in ("tcp:localhost", "tcp:x:", "tcp:127.0.0.1:99999999", "tcp:127.0.0.1:0", "tcp:127.0.0.1:-1", "tcp:x:y"):
        refused(lambda: torusweave.connect(where, folder), f"where: `{where}` must end with a port from 1 to 65535", "as in tcp:")
    refused(lambda: torusweave.connect(f"sim:{folder}/nothing"), "no NAME_programs.json there")


def programs() -> None:
    """The program is found beside the interpreter of an environment that is not activated, or its absence is said."""
    from torusweave import _lines

    named = os.environ.pop("TORUSWEAVE")
    path = os.environ["PATH"]
    found = _lines.sysconfig.get_path
    with tempfile.TemporaryDirectory() as place:
        try:
            os.environ["PATH"] = ""
            tool = Path(place) / "torusweave"
            tool.write_text("#!/bin/sh\nexit 3\n")
            tool.chmod(0o755)
            _lines.sysconfig.get_path = lambda _: place  # type: ignore[assignment]
            assert _lines.program() == [str(tool)]
        finally:
            os.environ["TORUSWEAVE"], os.environ["PATH"] = named, path
            _lines.sysconfig.get_path = found  # type: ignore[assignment]


def main(*folders: str) -> None:
    count = sum(descriptions(Path(folder)) for folder in folders)
    lines(folders[0])
    programs()
    os.environ["TORUSWEAVE"] = "/nothing"
    refused(lambda: torusweave.connect(f"sim:{folders[0]}"), "cannot be run")
    os.environ["TORUSWEAVE"] = "/bin/false"
    refused(lambda: torusweave.connect(f"sim:{folders[0]}"), "exit code 1")
    print(f"{count} descriptions refused")


main(*sys.argv[1:])
