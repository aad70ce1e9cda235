"""A board: its registers, framed as LiteX's UARTBone does it, and calls that stay in step with it."""

from __future__ import annotations

import os
import secrets
import struct
import threading
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

from ._errors import NoRegister, TorusError
from ._lines import Line

# a command has so many words at most
MOST_WORDS = 255
# commands that are not answered yet: more bytes than this do not fit into the design's memory for them
MOST_AHEAD = 256
# bytes of the longest command
LONGEST = 6 + 4 * MOST_WORDS
# the registers ID, VERSION, HASH and GEOMETRY stand at the words 0 to 3; their addresses are the same in every version
ID, VERSION = 0x54574345, 1
HASH, GEOMETRY, CTRL, RUNS = 2, 3, 4, 9
IDENTITIES = 4
# seconds without a byte after which what was on a line has come
QUIET = 0.02
# bits of the number that tells an answer to the first question from all other bytes
BITS = 32

T = TypeVar("T")


class Identity(NamedTuple):
    """Registers that say which design answers, and its runs since the reset."""

    design: int
    geometry: int
    runs: int


class Calls:
    """One call at a time on the boards of a design, each in step with them: what comes is the answer to what was asked.

    Whatever breaks off a call leaves bytes on the lines. The next call then ends what was begun, resets the design, and waits for an
    answer that nothing else has.
    """

    def __init__(self) -> None:
        self.boards: List["Board"] = []
        # it knows its thread from the moment on in which it is taken, whenever a signal comes
        self._lock: Any = threading.RLock()
        self._process = os.getpid()
        self._is_in_step = True
        self._is_closed = False

    def run(self, work: Callable[[], T]) -> T:
        """Does the work of a call when no other call is under way."""
        if os.getpid() != self._process:
            raise TorusError("the connection belongs to another process: connect anew after a fork")
        if self._is_inside():
            raise TorusError("a call is under way on this connection, and this one is made from inside it")
        with self._lock:
            if self._is_closed:
                raise TorusError("the connection is closed")
            if not self._is_in_step:
                self._come_into_step()
            self._is_in_step = False
            result = work()
            self._is_in_step = True
            return result

    def close(self) -> None:
        """Closes all lines, when the call that is under way is over."""
        if os.getpid() != self._process or self._is_inside():
            self._close()
            return
        with self._lock:
            self._close()

    def _close(self) -> None:
        self._is_closed = True
        for board in self.boards:
            board.line.close()

    def _is_inside(self) -> bool:
        is_inside: bool = self._lock._is_owned()
        return is_inside

    def _come_into_step(self) -> None:
        lines = [board.line for board in self.boards]
        timeout = max(board.timeout for board in self.boards)
        for board, identity in zip(self.boards, identities(lines, timeout)):
            if identity[:2] != board.identity[:2]:
                raise TorusError(f"another design answers: hash {identity.design:08x}, not {board.identity.design:08x}")
            board.begin(identity)


class Registers:
    """The design's registers by name, in capitals or not: `t.regs.cycles`. Writing one writes it."""

    def __init__(self, board: "Board", registers: Sequence[Dict[str, Any]]) -> None:
        object.__setattr__(self, "_board", board)
        object.__setattr__(self, "_words", {register["name"].lower(): register["word"] for register in registers})
        object.__setattr__(self, "_writable", {register["word"] for register in registers if register["writable"]})

    def _word(self, name: str) -> int:
        words: Dict[str, int] = object.__getattribute__(self, "_words")
        if name.lower() not in words:
            raise NoRegister(f"no register `{name}`: there are {', '.join(words)}")
        return words[name.lower()]

    def __getattr__(self, name: str) -> int:
        return self._board.read(self._word(name))[0]

    def __setattr__(self, name: str, value: int) -> None:
        word = self._word(name)
        if word not in object.__getattribute__(self, "_writable"):
            raise NoRegister(f"register `{name}` cannot be written")
        self._board.write(word, [value], is_sent=True)

    def __dir__(self) -> List[str]:
        return sorted(object.__getattribute__(self, "_words"))


class Board:
    """A board at the end of a line, with some of the nodes of a design, or all."""

    def __init__(
        self,
        calls: Calls,
        line: Line,
        about: Dict[str, Any],
        nodes: Sequence[Optional[int]],
        timeout: float,
        identity: Identity,
    ) -> None:
        self._calls = calls
        self.line = line
        self.timeout = timeout
        # by place on the ring; a dead node has no number
        self.nodes: List[Optional[int]] = list(nodes)
        self.word = {register["name"]: register["word"] for register in about["registers"]}
        self.regs = Registers(self, about["registers"])
        self.sent = 0
        self.received = 0
        self.begin(identity)

    def begin(self, identity: Identity) -> None:
        """Starts anew: nothing waits to be sent, and no answer is on the line."""
        self.identity = identity
        self._out = bytearray()
        self._turn = 0
        # unknown after accesses that may have started a run
        self.runs: Optional[int] = identity.runs

    def write(self, word: int, values: Sequence[int], fixed: bool = False, is_sent: bool = False) -> None:
        """Notes a write of registers from a word address on, or all to one; `flush` and `read` send it."""
        word, values = _number("word", word, 30), _numbers(values)

        def work() -> None:
            self.runs = None
            self.note(word, values, fixed)
            if is_sent:
                self.send()

        self._calls.run(work)

    def read(self, word: int, count: int = 1, fixed: bool = False) -> List[int]:
        """Reads registers from a word address on, or one again and again."""
        word, count = _number("word", word, 30), _number("count", count, 24)
        return self._calls.run(lambda: self.ask([(word, count, fixed)])[0])

    def flush(self) -> None:
        """Sends what was written."""
        self._calls.run(self.send)

    # the parts of a call: registers, framed as LiteX's UARTBone does it

    def note(self, word: int, values: Sequence[int], fixed: bool = False) -> None:
        """Notes a write."""
        for at in range(0, len(values), MOST_WORDS):
            part = values[at : at + MOST_WORDS]
            start = word if fixed else word + at
            self._out += struct.pack(f">BBI{len(part)}I", 3 if fixed else 1, len(part), start, *part)

    def send(self) -> None:
        """Sends what was noted."""
        data, self._out = bytes(self._out), bytearray()
        self.sent += len(data)
        if data:
            self.line.write(data, self.timeout)

    def ask(self, reads: Sequence[Tuple[int, int, bool]]) -> List[List[int]]:
        """Sends what was noted and some reads; returns their words."""
        waiting = ahead = 0
        words: List[int] = []
        for word, count, fixed in reads:
            for at in range(0, count, MOST_WORDS):
                part = min(MOST_WORDS, count - at)
                self._out += struct.pack(">BBI", 4 if fixed else 2, part, word if fixed else word + at)
                waiting += part
                ahead += 6
                # with one more, and the number of the round trip
                if ahead + 12 > MOST_AHEAD:
                    words += self._take(waiting)
                    waiting = ahead = 0
        words += self._take(waiting)
        answers: List[List[int]] = []
        for _, count, _ in reads:
            answers.append(words[:count])
            words = words[count:]
        return answers

    def _take(self, count: int) -> List[int]:
        """Words of a round trip, the last of which says which one it was: the four that never change take turns."""
        turn, self._turn = self._turn, (self._turn + 1) % IDENTITIES
        self._out += struct.pack(">BBI", 2, 1, turn)
        self.send()
        size = 4 * (count + 1)
        data = bytearray()
        while len(data) < size:
            part = self.line.read(size - len(data), self.timeout)
            if not part:
                raise TorusError(f"nothing came within {self.timeout:g} s: {len(data)} of {size} bytes")
            data += part
        self.received += len(data)
        *words, last = struct.unpack(f">{count + 1}I", data)
        if last != (ID, VERSION, self.identity.design, self.identity.geometry)[turn]:
            raise TorusError(f"the line is out of step: {last:#010x} came where an answer ends; does somebody else use it?")
        return words

    def reset(self) -> None:
        """Brings the design back from any error."""
        self.note(self.word["CTRL"], [2])
        self.ask([(self.word["STATUS"], 1, False)])
        self.runs = None


def _number(name: str, value: Any, bits: int) -> int:
    try:
        number = value.__index__()
    except (AttributeError, TypeError) as error:
        raise TorusError(f"{name}: must be a number of at most {bits} bits (is {value!r})") from error
    if not 0 <= number < 1 << bits:
        raise TorusError(f"{name}: must be a number of at most {bits} bits (is {value})")
    return int(number)


def _numbers(values: Any) -> List[int]:
    try:
        each = list(values)
    except TypeError as error:
        raise TorusError(f"values: must be a list of words (is {values!r})") from error
    return [_number("values", value, 32) for value in each]


class _Question:
    """Reads of ID and VERSION in an order that nobody else asks for, then of what says which design it is."""

    def __init__(self) -> None:
        chosen = secrets.randbits(BITS)
        bits = [chosen >> at & 1 for at in range(BITS)]
        self._answer = b"".join(struct.pack(">I", VERSION if bit else ID) for bit in bits)
        reads = [*bits, HASH, GEOMETRY, RUNS]
        self.bytes = bytes(LONGEST) + struct.pack(">BBII", 1, 1, CTRL, 2)
        self.bytes += b"".join(struct.pack(">BBI", 2, 1, word) for word in reads)

    def identity(self, came: bytearray) -> Optional[Identity]:
        """Answer among bytes that have come; drops those that are surely none."""
        size = len(self._answer)
        at = came.find(self._answer)
        if at < 0:
            del came[: max(0, len(came) - size)]
            return None
        if len(came) < at + size + 12:
            return None
        return Identity(*struct.unpack(">3I", came[at + size : at + size + 12]))


def identities(lines: Sequence[Line], timeout: float, building: float = 0.0) -> List[Identity]:
    """Ends what was begun on lines, resets the design, and says which one answers at each.

    Whoever used a line before may have stopped in the middle of a command or of an answer. Zeros end any command and begin none. The
    answer has a random number, so all before it is of others. Where bytes may be lost, the question is asked again. `building` is the
    time after which a first byte must have come.
    """
    for line in lines:
        line.forget()
        if line.is_lossy:
            _drain(line, timeout)
    found: List[Optional[Identity]] = [None] * len(lines)
    end = time.monotonic() + max(timeout, building)
    again = timeout / 4
    while True:
        questions = [_Question() for _ in lines]
        # a board may wait for another one, and take no byte before that is reset
        for line, question, identity in zip(lines, questions, found):
            if identity is None:
                line.write(question.bytes, max(timeout, building))
        for at, line in enumerate(lines):
            until = time.monotonic() + again if line.is_lossy else end
            if found[at] is None:
                found[at] = _answer(line, questions[at], min(until, end), timeout)
        if None not in found:
            return [identity for identity in found if identity]
        if time.monotonic() >= end:
            raise TorusError(f"no design answers within {timeout:g} s")
        again *= 2


def _drain(line: Line, timeout: float) -> None:
    """Reads until nothing comes."""
    end = time.monotonic() + timeout
    while line.read(1 << 16, QUIET):
        if time.monotonic() > end:
            raise TorusError(f"no design answers within {timeout:g} s: the other end keeps sending")


def _answer(line: Line, question: _Question, until: float, timeout: float) -> Optional[Identity]:
    came = bytearray()
    while time.monotonic() < until:
        part = line.read(1 << 16, until - time.monotonic())
        if part and not came:
            # a simulation has been built
            until = min(until, time.monotonic() + timeout)
        came += part
        identity = question.identity(came)
        if identity:
            return identity
    return None
