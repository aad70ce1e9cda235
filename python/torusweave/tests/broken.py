"""Calls that break off, connections that end, and arrays of other kinds: the next call is right, or says what is wrong.

usage: broken.py WHERE DIR PART
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Tuple

import numpy as np

from beside import refused

import torusweave
from torusweave import TorusError


def right(t: torusweave.Torus, seed: int) -> None:
    x = np.random.default_rng(seed).integers(0, 1 << t.width, t.nodes, dtype=np.dtype(f"u{t.width // 8}"))
    got = t.allgather(x)
    assert np.array_equal(got, x), f"WRONG: {got}, expected {x}"


class Broken(BaseException):
    pass


def interrupts(t: torusweave.Torus) -> None:
    """An exception inside a call, at each of its reads and writes in turn."""
    for board in t.boards:
        for name in ("read", "write"):
            for moment in range(3):
                for is_done in (False, True):
                    whole = getattr(board.line, name)
                    left = [moment]

                    def breaks(*arguments: Any) -> Any:
                        left[0] -= 1
                        done = whole(*arguments) if is_done or left[0] >= 0 else None
                        if left[0] < 0:
                            raise Broken
                        return done

                    setattr(board.line, name, breaks)
                    try:
                        right(t, 1)
                    except Broken:
                        pass
                    delattr(board.line, name)
                    # registers, a reset, and calls
                    if is_done:
                        assert t.regs.id == 0x54574345
                    else:
                        t.reset()
                    right(t, 2)
                    right(t, 3)


def signals(t: torusweave.Torus) -> None:
    """Ctrl-C, as in a notebook."""
    # jobs in the background of a shell ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    broken = 0
    for number in range(20):
        began = time.monotonic()
        right(t, number)
        took = time.monotonic() - began
        timer = threading.Timer(took * number / 20, os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            right(t, 100 + number)
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            broken += 1
        timer.join()
        right(t, 200 + number)
    assert broken > 10, f"{broken} calls of 20 were interrupted"


def nested(t: torusweave.Torus) -> None:
    """A call from inside another one, as from a signal handler, is refused; the one around it is right."""
    inside = []
    for board in t.boards:

        def writes(*arguments: Any, whole: Any = board.line.write) -> Any:
            refused(lambda: right(t, 1), "made from inside it")
            inside.append(1)
            return whole(*arguments)

        setattr(board.line, "write", writes)
    right(t, 2)
    for board in t.boards:
        delattr(board.line, "write")
    assert len(inside) >= len(t.boards)

    # at any moment, also at those at which the call has not begun
    def rings(*_: Any) -> None:
        try:
            right(t, 3)
        except TorusError as error:
            assert "made from inside it" in str(error), error

    signal.signal(signal.SIGALRM, rings)
    for number in range(300):
        signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + number))
        right(t, number)
    signal.setitimer(signal.ITIMER_REAL, 0)


def processes(t: torusweave.Torus) -> None:
    """A process that was forked has no connection, and takes none away."""
    child = os.fork()
    if child == 0:
        try:
            refused(lambda: right(t, 1), "connect anew after a fork")
            t.close()
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    right(t, 2)


def several(t: torusweave.Torus) -> None:
    """Threads on one connection."""
    failed = []

    def work(number: int) -> None:
        try:
            for turn in range(20):
                right(t, 100 * number + turn)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


def arrays(t: torusweave.Torus) -> None:
    """Arrays in the other order of bytes are converted, masked ones refused."""
    nodes, size = t.nodes, t.width // 8
    x = np.random.default_rng(4).integers(0, 1 << t.width, (nodes, nodes), dtype=np.dtype(f"u{size}"))
    for kind in ("u", "i"):
        for order in "<>":
            other = x.astype(f"{kind}{size}").astype(f"{order}{kind}{size}")
            got = t.allgather(other[0])
            assert got.dtype == other.dtype and np.array_equal(got, other[0])
            got = t.allreduce(other)
            wanted = x.sum(0, dtype=x.dtype).astype(f"{kind}{size}")
            assert got.dtype == other.dtype and np.array_equal(got, wanted), (order, kind, got, wanted)
    # parts of an array, and one that is not to be written
    assert np.array_equal(t.allgather(x[:, 1]), x[:, 1]) and np.array_equal(t.allgather(x[::-1, 0]), x[::-1, 0])
    refused(lambda: t.allgather(np.ma.masked_equal(x[0], 3)), "masked arrays")
    refused(lambda: t.allgather([[1], [2, 3]]), "no array")
    refused(lambda: t.allgather(x[0].astype(object)), "object")
    refused(lambda: t.allgather(np.zeros(nodes, f"m8[s]")), "timedelta")
    refused(lambda: t.broadcast(x[0], root=None), "is no node")
    refused(lambda: t.broadcast(x[0], root=True), "is no node")
    refused(lambda: t.write(3, [1 << 32]), "values: must be")
    refused(lambda: t.write(3, 1), "values: must be a list")
    refused(lambda: t.read(-1), "word: must be")
    refused(lambda: t.read(0, "x"), "count: must be")
    refused(lambda: t.regs.nothing, "no register `nothing`")
    refused(lambda: setattr(t.regs, "program", "x"), "must be a number")
    refused(lambda: setattr(t.regs, "hash", 1), "register `hash` cannot be written")
    assert not hasattr(t.regs, "nothing")


def ends(t: torusweave.Torus) -> None:
    """Calls after the end of a connection say so."""
    t.close()
    t.close()
    for call in (lambda: right(t, 1), lambda: t.regs.id, lambda: t.write(0, [1]), t.flush, t.reset):
        refused(call, "the connection is closed")


def simulation(t: torusweave.Torus) -> Tuple[Any, int]:
    """The command that serves, and the number of the process that simulates."""
    line: Any = t.boards[0].line
    command = line._process if hasattr(line, "_process") else line._pipes._process
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children").read_text().split()
    return command, int(children[0])


def stops(t: torusweave.Torus) -> None:
    """A simulation that stands still: calls end in their time, and are right when it goes on."""
    _, process = simulation(t)
    os.kill(process, signal.SIGSTOP)
    for board in t.boards:
        board.timeout = 0.5
    for words in ("nothing came within 0.5 s", "no design answers within 0.5 s"):
        began = time.monotonic()
        refused(lambda: right(t, 1), words)
        assert time.monotonic() - began < 3
    # more than a pipe takes
    for board in t.boards:
        board.timeout = 0.01
    for _ in range(100):
        refused(lambda: right(t, 1), "within 0.01 s")
    os.kill(process, signal.SIGCONT)
    for board in t.boards:
        board.timeout = 20.0
    right(t, 2)


def kills(t: torusweave.Torus) -> None:
    """A simulation that is killed says that it was, again and again."""
    command, process = simulation(t)
    os.kill(process, signal.SIGKILL)
    for _ in range(3):
        refused(lambda: right(t, 1), "signal: 9 (SIGKILL)")
        refused(lambda: t.regs.id, "signal: 9 (SIGKILL)")
    assert command.returncode == 1, command.returncode


def main(where: str, folder: str, part: str) -> None:
    place = where.split(",") if "," in where else where
    with torusweave.connect(place, folder, timeout=20) as t:
        globals()[part](t)
    print("right")


main(*sys.argv[1:])
