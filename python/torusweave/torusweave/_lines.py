"""Lines to an engine: a simulation, a TCP port, a serial port. Each carries the same bytes."""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Protocol, Sequence


class TorusError(Exception):
    """A call that is wrong, or an engine that does not answer as it must."""


class Line(Protocol):
    """Bytes in order, both ways."""

    def write(self, data: bytes) -> None: ...

    def read(self, count: int, timeout: float) -> bytes:
        """Returns up to `count` bytes, fewer if no more come within `timeout` seconds."""
        ...

    def close(self) -> None: ...


def program() -> List[str]:
    """The command that runs torusweave: `TORUSWEAVE`, or `torusweave` in the PATH, or a build of this source tree."""
    named = os.environ.get("TORUSWEAVE")
    if named:
        return [named]
    found = shutil.which("torusweave")
    if found:
        return [found]
    root = Path(__file__).resolve().parents[3]
    for build in ("release", "dev", "debug"):
        path = root / "target" / build / "torusweave"
        if path.is_file():
            return [str(path)]
    raise TorusError("torusweave is not in the PATH: set TORUSWEAVE to the program")


class _Pipes:
    """A simulation that reads and writes pipes."""

    def __init__(self, folder: str) -> None:
        command = program() + ["simulate", "--serve", "stdio", "--folder", folder]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in, self._out = self._process.stdin, self._process.stdout

    def write(self, data: bytes) -> None:
        try:
            # a pipe takes what it has room for
            view = memoryview(data)
            while view:
                view = view[self._in.write(view) or 0 :]
        except (BrokenPipeError, OSError) as error:
            raise TorusError(self._ended()) from error

    def read(self, count: int, timeout: float) -> bytes:
        return _collect(self._out.fileno(), lambda size: os.read(self._out.fileno(), size), count, timeout, self._ended)

    def _ended(self) -> str:
        try:
            _, said = self._process.communicate(timeout=10)
        except (subprocess.TimeoutExpired, ValueError):
            return "the simulation does not answer"
        return "the simulation ended: " + said.decode(errors="replace").strip()

    def close(self) -> None:
        try:
            self._in.close()
            self._process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        for stream in (self._out, self._process.stderr):
            if stream:
                stream.close()


class _Socket:
    """A TCP port."""

    def __init__(self, at: str) -> None:
        host, _, port = at.rpartition(":")
        try:
            self._socket = socket.create_connection((host or "127.0.0.1", int(port)), timeout=30)
        except (OSError, ValueError) as error:
            raise TorusError(f"tcp:{at} cannot be opened: {error}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise TorusError(f"the line broke: {error}") from error

    def read(self, count: int, timeout: float) -> bytes:
        return _collect(self._socket.fileno(), self._socket.recv, count, timeout, lambda: "the line was closed")

    def close(self) -> None:
        self._socket.close()


class _Serial:
    """A serial port; needs pyserial."""

    def __init__(self, at: str, baud: int) -> None:
        try:
            import serial
        except ImportError as error:
            raise TorusError("serial lines need pyserial: pip install pyserial") from error
        try:
            self._port: Any = serial.Serial(at, baud, timeout=0.05)
        except (OSError, ValueError) as error:
            raise TorusError(f"serial:{at} cannot be opened: {error}") from error

    def write(self, data: bytes) -> None:
        self._port.write(data)

    def read(self, count: int, timeout: float) -> bytes:
        got = b""
        last = time.monotonic()
        while len(got) < count and time.monotonic() - last < timeout:
            part = self._port.read(count - len(got))
            if part:
                got += part
                last = time.monotonic()
        return got

    def close(self) -> None:
        self._port.close()


def _collect(file: int, receive: Any, count: int, timeout: float, ended: Any) -> bytes:
    got = b""
    while len(got) < count:
        ready, _, _ = select.select([file], [], [], timeout)
        if not ready:
            break
        try:
            part = receive(count - len(got))
        except OSError:
            part = b""
        if not part:
            raise TorusError(ended())
        got += part
    return got


class _Shared:
    """One of the lines of simulated boards, which share pipes: before each byte goes the number of its board."""

    def __init__(self, pipes: _Pipes, board: int, waiting: List[bytearray]) -> None:
        self._pipes, self._board, self._waiting = pipes, board, waiting

    def write(self, data: bytes) -> None:
        pairs = bytearray(2 * len(data))
        pairs[0::2] = bytes([self._board]) * len(data)
        pairs[1::2] = data
        self._pipes.write(bytes(pairs))

    def read(self, count: int, timeout: float) -> bytes:
        own = self._waiting[self._board]
        while len(own) < count:
            pair = self._pipes.read(2, timeout)
            if len(pair) < 2:
                break
            self._waiting[pair[0]].append(pair[1])
        data = bytes(own[:count])
        del own[:count]
        return data

    def close(self) -> None:
        if self._board == 0:
            self._pipes.close()


def open_lines(places: Sequence[str], baud: int, boards: int) -> List[Line]:
    """Opens `sim:DIR`, with so many boards, or `tcp:HOST:PORT` and `serial:PORT`, each with one."""
    if boards > 1 and len(places) == 1:
        pipes, waiting = _Pipes(places[0].partition(":")[2]), [bytearray() for _ in range(boards)]
        return [_Shared(pipes, board, waiting) for board in range(boards)]
    lines: List[Line] = []
    try:
        for where in places:
            lines.append(_open_line(where, baud))
    except BaseException:
        for line in lines:
            line.close()
        raise
    return lines


def _open_line(where: str, baud: int) -> Line:
    """Opens `sim:DIR`, `tcp:HOST:PORT` or `serial:PORT`."""
    kind, _, at = where.partition(":")
    if kind == "sim" and at:
        return _Pipes(at)
    if kind == "tcp" and at:
        return _Socket(at)
    if kind == "serial" and at:
        return _Serial(at, baud)
    raise TorusError(f"`{where}` is not supported: use sim:DIR, tcp:HOST:PORT or serial:PORT")


def description(path: Path) -> Dict[str, Any]:
    """Description of an engine: a NAME_engine.json, or the one in a folder."""
    if not path.is_file():
        found = sorted(path.glob("*_engine.json"))
        if not found:
            raise TorusError(f"{path}: no NAME_engine.json there; `torusweave generate CONFIG --out {path}` writes one")
        path = found[0]
    try:
        about: Dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise TorusError(f"{path} cannot be read: {error}") from error
    if about.get("format") != "torusweave-engine/1":
        raise TorusError(f"{path} describes no engine of a version that is supported")
    return about


def described(design: int) -> Dict[str, Any]:
    """The engine with a hash, of those described in this folder and in generated/."""
    for path in sorted([*Path().glob("*_engine.json"), *Path().glob("generated/*/*_engine.json")]):
        about = description(path)
        if about["hash"] == design:
            return about
    raise TorusError(f"the engine that answers has hash {design:08x}: name its folder, as in connect(WHERE, DIR)")
