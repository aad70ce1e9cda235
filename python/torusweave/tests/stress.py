"""Calls while everything breaks off: each result equals numpy's, or the call raises.

Calls are interrupted by signals at random moments, run out of time, are wrong, come from several threads at once, from a handler inside
another call, and from connections that were closed and opened again. Prints the calls that returned, and what was raised how often.
Ends with 1 at the first result that is wrong.

usage: stress.py CALLS SEED WHERE[=DIR]...

WHERE is a line, or one for each board with commas. The calls are shared out among all of them.
"""

import random
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave
from torusweave import TorusError


class Broken(BaseException):
    """Raised by a signal in the middle of whatever the main thread does."""


class Alarm:
    """A signal at a moment to come, whose handler does something once."""

    def __init__(self) -> None:
        self.act: Optional[Callable[[], None]] = None
        signal.signal(signal.SIGALRM, self._rings)

    def _rings(self, *_: Any) -> None:
        act, self.act = self.act, None
        if act:
            act()

    def during(self, seconds: float, act: Callable[[], None], work: Callable[[], Any]) -> Any:
        try:
            self.act = act
            signal.setitimer(signal.ITIMER_REAL, seconds)
            return work()
        finally:
            self.act = None
            signal.setitimer(signal.ITIMER_REAL, 0)


def breaks() -> None:
    raise Broken


class Calls:
    """Random calls of a design, and what numpy says of them."""

    def __init__(self, t: torusweave.Torus, chance: random.Random) -> None:
        self.t, self.chance = t, chance
        self.random = np.random.default_rng(chance.getrandbits(32))

    def one(self) -> Callable[[], Tuple[np.ndarray, np.ndarray]]:
        """A right call with its answer."""
        t, program = self.t, self.chance.choice(self.t._about["programs"])
        nodes, words, collective = t.nodes, program["words"], program["collective"]
        tail = (words,) if words > 1 or collective == "broadcast" else ()
        axes = {"broadcast": 0, "gossip": 1, "scatter": 1, "gather": 1}.get(collective, 2)
        size = t.width // 8
        x = self.random.integers(0, 1 << t.width, (nodes,) * axes + tail, dtype=np.dtype(f"u{size}"))
        if self.chance.random() < 0.1:
            # the other order of bytes
            x = x.astype(x.dtype.newbyteorder(">"))
        root = self.chance.randrange(nodes) if program.get("root") == "any" else program.get("root") or 0
        combine = {"sum": np.add, "max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor, "and": np.bitwise_and, "or": np.bitwise_or}
        if collective in ("all-reduce", "reduce-scatter"):
            total = combine[program["operation"]].reduce(x.astype(f"u{size}"), axis=0, dtype=f"u{size}")
        everywhere = self.chance.random() < 0.3
        return {
            "gossip": lambda: (t.allgather(x, all_nodes=everywhere), np.stack([x] * nodes) if everywhere else x),
            "all-reduce": lambda: (t.allreduce(x, all_nodes=everywhere), np.stack([total] * nodes) if everywhere else total),
            "reduce-scatter": lambda: (t.reduce_scatter(x), total),
            "exchange": lambda: (t.alltoall(x), x.swapaxes(0, 1)),
            "broadcast": lambda: (t.broadcast(x, root=root), np.stack([x] * nodes)),
            "scatter": lambda: (t.scatter(x, root=root), x),
            "gather": lambda: (t.gather(x, root=root), x),
        }[collective]

    def wrong(self) -> Callable[[], Any]:
        """A call that must be refused."""
        t = self.t
        x = np.zeros(t.nodes, f"u{t.width // 8}")
        return self.chance.choice(
            [
                lambda: t.allgather(x[1:]),
                lambda: t.allgather(x.astype(np.float64)),
                lambda: t.allgather(np.ma.masked_equal(x, 1)),
                lambda: t.allgather("words"),
                lambda: t.allgather([[1], [2, 3]]),
                lambda: t.broadcast(x, root=t.nodes),
                lambda: t.gather(x, root=None),
                lambda: t.write(0, [-1]),
                lambda: t.read(1 << 40),
                lambda: t.regs.nothing,
            ]
        )


class Stress:
    """Random events on one connection after the other."""

    def __init__(self, where: str, seed: int) -> None:
        place, _, folder = where.partition("=")
        self.place: Any = place.split(",") if "," in place else place
        self.folder = folder or None
        self.chance = random.Random(seed)
        self.alarm = Alarm()
        self.returned = 0
        self.raised: Counter = Counter()
        # a simulation takes its time to start
        self.is_slow = place.startswith("sim:")

    def check(self, answer: Tuple[np.ndarray, np.ndarray]) -> None:
        got, wanted = answer
        assert got.dtype.itemsize == wanted.dtype.itemsize and np.array_equal(got, wanted), f"WRONG: {got}, expected {wanted}"
        self.returned += 1

    def connect(self) -> torusweave.Torus:
        while True:
            try:
                return torusweave.connect(self.place, self.folder, timeout=20)
            except TorusError as error:
                self.raised[f"connect: {str(error)[:60]}"] += 1
                assert self.raised[f"connect: {str(error)[:60]}"] < 100, error

    def run(self, calls: int) -> None:
        until = calls
        while self.returned < until:
            t = self.connect()
            try:
                self.play(t, until)
            finally:
                t.close()
            for call in (lambda: t.allgather(np.zeros(t.nodes)), lambda: t.regs.status):
                self.refused(call)

    def refused(self, call: Callable[[], Any]) -> None:
        try:
            got = call()
        except TorusError:
            self.raised["refused"] += 1
        else:
            raise AssertionError(f"WRONG: a wrong call returned {got}")

    def play(self, t: torusweave.Torus, until: int) -> None:
        calls = Calls(t, self.chance)
        events: Dict[Callable[[], None], float] = {
            lambda: self.check(calls.one()()): 60,
            lambda: self.interrupted(calls): 20,
            lambda: self.late(t, calls): 2,
            lambda: self.refused(calls.wrong()): 8,
            lambda: self.nested(t, calls): 4,
            lambda: self.threads(t, calls): 2,
            lambda: self.registers(t): 5,
        }
        # connections that last
        left = self.chance.randrange(4000 if self.is_slow else 400)
        while left > 0 and self.returned < until:
            (event,) = self.chance.choices(list(events), list(events.values()))
            try:
                event()
            except TorusError as error:
                # never a wrong result, but a call may fail: then it says why
                assert str(error), repr(error)
                self.raised[str(error)[:60]] += 1
            left -= 1

    def interrupted(self, calls: Calls) -> None:
        call = calls.one()
        try:
            answer = self.alarm.during(self.chance.expovariate(1 / 0.002), breaks, call)
        except Broken:
            self.raised["interrupt"] += 1
            return
        self.check(answer)

    def late(self, t: torusweave.Torus, calls: Calls) -> None:
        """A call that has almost no time."""
        patience = [board.timeout for board in t.boards]
        try:
            for board in t.boards:
                board.timeout = self.chance.choice([1e-6, 1e-4, 1e-3])
            self.check(calls.one()())
        finally:
            for board, seconds in zip(t.boards, patience):
                board.timeout = seconds

    def nested(self, t: torusweave.Torus, calls: Calls) -> None:
        """A call with another one inside, from a handler."""
        inner, outer = calls.one(), calls.one()

        def act() -> None:
            try:
                answers.append(inner())
            except TorusError as error:
                assert str(error), repr(error)
                self.raised["nested" if "inside" in str(error) else str(error)[:60]] += 1

        answers: List[Any] = []
        answers.append(self.alarm.during(self.chance.expovariate(1 / 0.001), act, outer))
        for answer in answers:
            self.check(answer)

    def threads(self, t: torusweave.Torus, calls: Calls) -> None:
        """Calls of several threads at once; the main one is interrupted."""
        answers: List[Any] = []
        failed: List[BaseException] = []

        def work(some: List[Callable[[], Any]]) -> None:
            for call in some:
                try:
                    answers.append(call())
                except BaseException as error:
                    failed.append(error)

        threads = [threading.Thread(target=work, args=([calls.one() for _ in range(4)],)) for _ in range(3)]
        own = calls.one()
        for thread in threads:
            thread.start()
        try:
            answers.append(self.alarm.during(self.chance.expovariate(1 / 0.003), breaks, own))
        except Broken:
            self.raised["interrupt"] += 1
        for thread in threads:
            thread.join()
        for answer in answers:
            self.check(answer)
        assert all(isinstance(error, TorusError) for error in failed), failed

    def registers(self, t: torusweave.Torus) -> None:
        name, wanted = self.chance.choice([("id", 0x54574345), ("version", 1), ("hash", t._about["hash"])])
        for board in t.boards:
            got = getattr(board.regs, name)
            assert got == wanted, f"WRONG: {name} {got:#x}, expected {wanted:#x}"
        self.returned += 1


def main(calls: str, seed: str, *places: str) -> None:
    total: Counter = Counter()
    returned = 0
    for number, where in enumerate(places):
        began = time.monotonic()
        stress = Stress(where, int(seed) + number)
        stress.run(-(-int(calls) // len(places)))
        took = time.monotonic() - began
        print(f"{where}: {stress.returned} results in {took:.0f} s", file=sys.stderr, flush=True)
        returned += stress.returned
        total.update(stress.raised)
    print(f"{returned} results right, none wrong")
    for what, times in total.most_common():
        print(f"{times}: {what}")


main(*sys.argv[1:])
