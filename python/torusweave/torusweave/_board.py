"""A board: its registers, framed as LiteX's UARTBone does it."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Sequence, Tuple

from ._lines import Line, TorusError

# a command has so many words at most
MOST_WORDS = 255
# commands that are not answered yet: more bytes than this do not fit into the engine's memory for them
MOST_AHEAD = 256


class Registers:
    """The engine's registers by name: `t.regs.cycles`. Writing one writes it."""

    def __init__(self, board: "Board", registers: Sequence[Dict[str, Any]]) -> None:
        object.__setattr__(self, "_board", board)
        object.__setattr__(self, "_words", {register["name"].lower(): register["word"] for register in registers})

    def __getattr__(self, name: str) -> int:
        words: Dict[str, int] = object.__getattribute__(self, "_words")
        if name not in words:
            raise AttributeError(f"no register `{name}`: there are {', '.join(words)}")
        return self._board.read(words[name])[0]

    def __setattr__(self, name: str, value: int) -> None:
        words: Dict[str, int] = object.__getattribute__(self, "_words")
        if name not in words:
            raise AttributeError(f"no register `{name}`: there are {', '.join(words)}")
        self._board.write(words[name], [value])
        self._board.flush()

    def __dir__(self) -> List[str]:
        return sorted(object.__getattribute__(self, "_words"))


class Board:
    """A board at the end of a line, with some of the nodes of an engine, or all."""

    def __init__(self, line: Line, about: Dict[str, Any], nodes: Sequence[int], timeout: float) -> None:
        self._line = line
        self._timeout = timeout
        self._out = b""
        self.nodes: List[int] = list(nodes)
        self.word = {register["name"]: register["word"] for register in about["registers"]}
        self.regs = Registers(self, about["registers"])
        self.sent = 0
        self.received = 0

    def close(self) -> None:
        """Closes the line; a simulation ends."""
        self._line.close()

    # registers, framed as LiteX's UARTBone does it

    def write(self, word: int, values: Sequence[int], fixed: bool = False) -> None:
        """Notes a write of registers from a word address on, or all to one; `flush` and `read` send it."""
        for at in range(0, len(values), MOST_WORDS):
            part = values[at : at + MOST_WORDS]
            start = word if fixed else word + at
            self._out += struct.pack(f">BBI{len(part)}I", 3 if fixed else 1, len(part), start, *part)

    def read(self, word: int, count: int = 1, fixed: bool = False) -> List[int]:
        """Reads registers from a word address on, or one again and again."""
        return self.ask([(word, count, fixed)])[0]

    def flush(self) -> None:
        """Sends what was written."""
        data, self._out = self._out, b""
        self.sent += len(data)
        if data:
            self._line.write(data)

    def ask(self, reads: Sequence[Tuple[int, int, bool]]) -> List[List[int]]:
        """Sends what was written and some reads; returns their words."""
        waiting: List[int] = []
        ahead = 0
        words: List[int] = []
        for word, count, fixed in reads:
            for at in range(0, count, MOST_WORDS):
                part = min(MOST_WORDS, count - at)
                self._out += struct.pack(">BBI", 4 if fixed else 2, part, word if fixed else word + at)
                waiting.append(part)
                ahead += 6
                if ahead + 6 > MOST_AHEAD:
                    words += self._take(sum(waiting))
                    waiting, ahead = [], 0
        words += self._take(sum(waiting))
        answers: List[List[int]] = []
        for _, count, _ in reads:
            answers.append(words[:count])
            words = words[count:]
        return answers

    def _take(self, count: int) -> List[int]:
        self.flush()
        data = self._line.read(4 * count, self._timeout)
        self.received += len(data)
        if len(data) < 4 * count:
            raise TorusError(f"nothing came within {self._timeout:g} s: {len(data)} of {4 * count} bytes")
        return list(struct.unpack(f">{count}I", data))

    def reset(self) -> None:
        """Brings the engine back from any error."""
        self.write(self.word["CTRL"], [2])
        self.read(self.word["STATUS"])
