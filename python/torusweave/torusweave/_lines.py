"""Lines to a design: a simulation, a TCP port, a serial port. Each carries the same bytes."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sysconfig
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any, Callable, List, Optional, Protocol, Sequence, Tuple

from ._errors import TorusError

# bytes of a read
READ = 1 << 16
# bytes that wait for a reader: more than the answers to all that is asked at once
MOST_WAITING = 1 << 24
# bytes of a write that a pipe takes as a whole or not at all, in every system
WHOLE = 512
# seconds that a simulation takes to end
ENDING = 5.0
# seconds that a wait has at most: a system counts them in milliseconds
LONGEST_WAIT = 1e6


class Line(Protocol):
    """Bytes in order, both ways. An end that has gone raises `TorusError`."""

    # bytes for which the other end has no room are lost
    is_lossy: bool

    def write(self, data: bytes, timeout: float) -> None:
        """Sends all bytes. Raises `TorusError` if none are taken for `timeout` seconds."""
        ...

    def read(self, most: int, timeout: float) -> bytes:
        """Returns bytes that have come, `most` of them or fewer; none if none come within `timeout` seconds."""
        ...

    def forget(self) -> None:
        """Drops the bytes that have come."""
        ...

    def close(self) -> None: ...


def program() -> List[str]:
    """The command that runs torusweave.

    It is what `TORUSWEAVE` names, else the one in the PATH, else the one beside this interpreter, else a build of this source tree.
    """
    named = os.environ.get("TORUSWEAVE")
    if named:
        return [named]
    # an environment may be used that is not activated
    found = shutil.which("torusweave") or shutil.which("torusweave", path=sysconfig.get_path("scripts"))
    if found:
        return [found]
    root = Path(__file__).resolve().parents[3]
    for build in ("release", "dev", "debug"):
        path = root / "target" / build / "torusweave"
        if path.is_file():
            return [str(path)]
    raise TorusError("torusweave is not in the PATH: set TORUSWEAVE to the program")


def _ready(reader: int, writer: Optional[int], timeout: float) -> Tuple[bool, bool]:
    """Waits until there are bytes, or room for some. Returns which."""
    timeout = min(max(timeout, 0.0), LONGEST_WAIT)
    if not hasattr(select, "poll"):
        readable, writable, _ = select.select([reader], [] if writer is None else [writer], [], timeout)
        return bool(readable), bool(writable)
    poll = select.poll()
    wanted = {reader: select.POLLIN}
    if writer is not None:
        wanted[writer] = wanted.get(writer, 0) | select.POLLOUT
    for file, events in wanted.items():
        poll.register(file, events)
    ready = dict(poll.poll(int(1000 * timeout) + (timeout > 0)))
    # an end that has gone is seen by the read or the write
    gone = select.POLLHUP | select.POLLERR | select.POLLNVAL
    is_readable = bool(ready.get(reader, 0) & (select.POLLIN | gone))
    return is_readable, writer is not None and bool(ready.get(writer, 0) & (select.POLLOUT | gone))


class _Stream:
    """A line behind two descriptors that do not block."""

    is_lossy = True

    def __init__(self, name: str, reader: int, writer: int, chunk: int) -> None:
        self._name = name
        self._reader, self._writer, self._chunk = reader, writer, chunk
        self._came = bytearray()
        self._is_open = True
        _STREAMS.add(self)

    def _receive(self) -> bytes:
        return os.read(self._reader, READ)

    def _send(self, data: memoryview) -> int:
        return os.write(self._writer, data)

    def _ended(self) -> str:
        return f"{self._name}: the line was closed"

    def _release(self) -> None:
        """Closes the descriptors, and touches nothing that another process has, too."""
        raise NotImplementedError

    def _take(self) -> None:
        try:
            part = self._receive()
        except (BlockingIOError, InterruptedError):
            return
        except (OSError, ValueError):
            part = b""
        if not part:
            raise TorusError(self._ended())
        self._came += part
        if len(self._came) > MOST_WAITING:
            raise TorusError(f"{self._name}: the other end keeps sending what nobody asked for")

    def _check(self) -> None:
        if not self._is_open:
            raise TorusError(f"{self._name}: the line is closed")

    def write(self, data: bytes, timeout: float) -> None:
        self._check()
        view = memoryview(data)
        last = time.monotonic()
        while view:
            left = last + timeout - time.monotonic()
            # an end that does not get rid of answers takes no commands
            readable, writable = _ready(self._reader, self._writer, left)
            if readable:
                self._take()
            if writable:
                try:
                    sent = self._send(view[: self._chunk])
                except (BlockingIOError, InterruptedError):
                    sent = 0
                except (OSError, ValueError) as error:
                    raise TorusError(self._ended()) from error
                view = view[sent:]
                last = time.monotonic() if sent else last
            if left <= 0:
                raise TorusError(f"{self._name}: nothing was taken within {timeout:g} s")

    def read(self, most: int, timeout: float) -> bytes:
        self._check()
        end = time.monotonic() + timeout
        while not self._came:
            left = end - time.monotonic()
            readable, _ = _ready(self._reader, None, left)
            if readable:
                self._take()
            elif left <= 0:
                return b""
        data = bytes(self._came[:most])
        del self._came[:most]
        return data

    def forget(self) -> None:
        self._came = bytearray()

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._release()

    def leave(self) -> None:
        """Gives up the line in a process that was forked: it stays with the one that opened it."""
        self.close()


_STREAMS: "weakref.WeakSet[_Stream]" = weakref.WeakSet()


def _leave_all() -> None:
    for stream in list(_STREAMS):
        try:
            stream.leave()
        except OSError:
            pass


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)


class _Pipes(_Stream):
    """A simulation that reads and writes pipes."""

    is_lossy = False

    def __init__(self, folder: str, trust: bool) -> None:
        command = program() + ["simulate", "--serve", "stdio", "--folder", folder] + (["--trust"] if trust else [])
        self._said: Any = tempfile.TemporaryFile()
        try:
            # in a session of its own: an interrupt of the terminal ends the call, and not the simulation
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, bufsize=0, start_new_session=True
            )
        except (OSError, ValueError) as error:
            self._said.close()
            raise TorusError(f"{command[0]} cannot be run: {error}") from error
        assert self._process.stdin and self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        reader, writer = self._out.fileno(), self._in.fileno()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        super().__init__(f"sim:{folder}", reader, writer, WHOLE)

    def _ended(self) -> str:
        try:
            code = self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            return f"{self._name}: the simulation does not answer"
        self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - 4000))
        said = self._said.read().decode(errors="replace").strip()
        if code < 0:
            how = f"signal {-code} ended it"
            said = f"{how}: {said}" if said else how
        return f"{self._name}: the simulation ended: {said or f'exit code {code}'}"

    def _release(self) -> None:
        self._in.close()
        # first it ends by itself, then it removes what it has built
        for ends in (lambda: None, lambda: self._process.send_signal(signal.SIGINT), self._process.kill):
            try:
                ends()
                self._process.wait(ENDING)
                break
            except subprocess.TimeoutExpired:
                continue
        self._out.close()
        self._said.close()

    def leave(self) -> None:
        self._is_open = False
        for file in (self._in, self._out, self._said):
            file.close()
        # it is no child of this process
        self._process.returncode = 0


class _Socket(_Stream):
    """A TCP port."""

    def __init__(self, at: str, timeout: float) -> None:
        host, _, port = at.rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 1 << 16):
            raise TorusError(f"where: `tcp:{at}` must end with a port from 1 to 65535: use tcp:HOST:PORT, as in tcp:localhost:7000")
        try:
            self._socket = socket.create_connection((host or "127.0.0.1", int(port)), timeout=min(timeout, LONGEST_WAIT))
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError, OverflowError) as error:
            raise TorusError(f"tcp:{at} cannot be opened: {error}") from error
        super().__init__(f"tcp:{at}", self._socket.fileno(), self._socket.fileno(), READ)

    def _receive(self) -> bytes:
        return self._socket.recv(READ)

    def _send(self, data: memoryview) -> int:
        return self._socket.send(data)

    def _ended(self) -> str:
        return f"{self._name}: the line was closed; a port has one client at a time"

    def _release(self) -> None:
        self._socket.close()


def _port(at: str, baud: int, timeout: float) -> Any:
    try:
        import serial
    except ImportError as error:
        raise TorusError("serial lines need pyserial: pip install pyserial") from error
    exclusive = {"exclusive": True} if os.name == "posix" else {}
    try:
        return serial.Serial(at, baud, timeout=0, write_timeout=min(timeout, LONGEST_WAIT), **exclusive)
    # pyserial passes on errors of many kinds
    except Exception as error:
        raise TorusError(f"serial:{at} cannot be opened: {error}") from error


class _Serial(_Stream):
    """A serial port; needs pyserial."""

    def __init__(self, at: str, baud: int, timeout: float) -> None:
        self._port = _port(at, baud, timeout)
        file = self._port.fileno()
        os.set_blocking(file, False)
        super().__init__(f"serial:{at}", file, file, READ)

    def _release(self) -> None:
        self._port.close()


class _Shared:
    """One of the lines of simulated boards, which share pipes: before each byte goes the number of its board.

    Pairs go through a pipe whole, whatever interrupts a call: a write is of so few bytes that it is taken as a whole, and a read has an
    even number of bytes.
    """

    is_lossy = False

    def __init__(self, pipes: _Pipes, board: int, waiting: List[bytearray]) -> None:
        self._pipes, self._board, self._waiting = pipes, board, waiting

    def write(self, data: bytes, timeout: float) -> None:
        pairs = bytearray(2 * len(data))
        pairs[0::2] = bytes([self._board]) * len(data)
        pairs[1::2] = data
        self._pipes.write(bytes(pairs), timeout)

    def read(self, most: int, timeout: float) -> bytes:
        end = time.monotonic() + timeout
        own = self._waiting[self._board]
        while not own:
            pairs = self._pipes.read(READ, max(0.0, end - time.monotonic()))
            if not pairs:
                return b""
            for board, byte in zip(pairs[0::2], pairs[1::2]):
                if board >= len(self._waiting):
                    raise TorusError(f"the simulation sends a byte of board {board}, and there are {len(self._waiting)}")
                self._waiting[board].append(byte)
        data = bytes(own[:most])
        del own[:most]
        return data

    def forget(self) -> None:
        self._pipes.forget()
        del self._waiting[self._board][:]

    def close(self) -> None:
        self._pipes.close()


def open_lines(places: Sequence[str], baud: int, boards: int, timeout: float, trust: bool) -> List[Line]:
    """Opens `sim:DIR`, with so many boards, or `tcp:HOST:PORT` and `serial:PORT`, each with one."""
    if boards > 1 and len(places) == 1:
        pipes, waiting = _Pipes(places[0].partition(":")[2], trust), [bytearray() for _ in range(boards)]
        return [_Shared(pipes, board, waiting) for board in range(boards)]
    lines: List[Line] = []
    try:
        for where in places:
            lines.append(_open_line(where, baud, timeout, trust))
    except BaseException:
        for line in lines:
            line.close()
        raise
    return lines


def _open_line(where: str, baud: int, timeout: float, trust: bool) -> Line:
    """Opens `sim:DIR`, `tcp:HOST:PORT` or `serial:PORT`."""
    kind, _, at = where.partition(":")
    if at:
        kinds: dict[str, Callable[[], Line]] = {
            "sim": lambda: _Pipes(at, trust),
            "tcp": lambda: _Socket(at, timeout),
            "serial": lambda: _Serial(at, baud, timeout),
        }
        if kind in kinds:
            return kinds[kind]()
    raise TorusError(f"where: `{where}` is not supported: use sim:DIR, tcp:HOST:PORT or serial:PORT")
