"""Table of what every program of a design takes: clocks, time, bandwidth, and words that are wrong.

    python -m torusweave.bench sim:generated/calls_4x4

Each program is called with random data, and every word of its result is compared with numpy, sums of floats with the order in which
the design adds. Bandwidths are those of nccl-tests: `alg` is the size by the time, `bus` what that asks of the links of a ring.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._errors import TorusError
from ._groups import Groups, are_alike
from ._halo import is_mutual
from ._reference import reference
from ._torus import FLOATS, TYPES, Torus, connect

Program = Dict[str, Any]
INTEGERS: Dict[str, Callable[..., np.ndarray]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "xor": np.bitwise_xor,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}
# by collective: whether the size is that of all blocks, and the share of it that a ring carries over each link
SHARES: Dict[str, Tuple[bool, Callable[[int], float]]] = {
    "gossip": (True, lambda nodes: (nodes - 1) / nodes),
    "reduce-scatter": (True, lambda nodes: (nodes - 1) / nodes),
    "exchange": (True, lambda nodes: (nodes - 1) / nodes),
    "scatter": (True, lambda nodes: (nodes - 1) / nodes),
    "gather": (True, lambda nodes: (nodes - 1) / nodes),
    "all-reduce": (True, lambda nodes: 2 * (nodes - 1) / nodes),
    "broadcast": (False, lambda nodes: 1.0),
    "reduce": (False, lambda nodes: 1.0),
}


class Call(NamedTuple):
    """A call of a program, and what it has to give: arrays in their order."""

    run: Callable[[], Any]
    right: List[np.ndarray]


class Row(NamedTuple):
    """Figures of a program."""

    program: int
    collective: str
    operation: str
    scheme: str
    bytes: int
    ticks: int
    clocks: int
    # microseconds at the clock, and megabytes per second
    time: Optional[float]
    alg: Optional[float]
    bus: Optional[float]
    # milliseconds of a call, with its words over the line
    call: float
    words: int
    wrong: int


class Bench:
    """Programs of a design, called with random data."""

    def __init__(self, torus: Torus, seed: int) -> None:
        self.torus = torus
        # folder of the schedules
        self.folder = Path(torus._about["folder"])
        self.random = np.random.default_rng(seed)
        self.unsigned = np.dtype(f"u{TYPES[torus.width]}")

    def _words(self, *shape: int) -> np.ndarray:
        return self.random.integers(0, 1 << self.torus.width, shape, dtype=self.unsigned)

    def _values(self, program: Program, *shape: int) -> np.ndarray:
        """Values that a reduction combines; floats are near each other, so that their sums are finite."""
        kind = program["values"]
        if kind == "bf16":
            # numpy has no such type: their bits, of numbers from 1 to 2 and their opposites
            return (self._words(*shape) & np.uint16(0x807F) | np.uint16(0x3F80)).astype(np.uint16)
        if kind in FLOATS:
            return self.random.normal(size=shape).astype(FLOATS[kind][0])
        words = self._words(*shape)
        return words.view(f"i{TYPES[self.torus.width]}") if kind == "i32" else words

    def _combined(self, program: Program, x: np.ndarray, root: Optional[int] = None) -> np.ndarray:
        """Combination of all rows, in any order or in that of the program."""
        if program["values"] in FLOATS or program["operation"] == "custom":
            moved = root if program.get("root") == "any" else None
            return reference(self.folder / program["schedule"], x, root=moved, count=program.get("count"))
        return INTEGERS[program["operation"]].reduce(x, axis=0, dtype=x.dtype)

    def root(self, program: Program) -> int:
        root = program.get("root")
        return int(self.random.integers(self.torus.nodes)) if root == "any" else int(root or 0)

    def call(self, program: Program) -> Call:
        """The next call of a program, with other data than the one before."""
        t, nodes, words, root = self.torus, self.torus.nodes, program["words"], self.root(program)
        collective = program["collective"]
        if is_mutual(program):
            return self._halo(program)
        if "groups" in program:
            return self._grouped(program)
        if "lengths" in program:
            return self._uneven(program, root)
        if collective in ("all-reduce", "reduce-scatter", "reduce"):
            operation = program["operation"]
            if "count" in program:
                x = self._values(program, nodes, program["count"])
                return Call(lambda: t.allreduce(x, operation=operation), [self._combined(program, x)])
            x = self._values(program, nodes, words) if collective == "reduce" else self._values(program, nodes, nodes, words)
            right = [self._combined(program, x, root)]
            calls: Dict[str, Callable[[], Any]] = {
                "all-reduce": lambda: t.allreduce(x, operation=operation),
                "reduce-scatter": lambda: t.reduce_scatter(x, operation=operation),
                "reduce": lambda: t.reduce(x, root=root, operation=operation),
            }
            return Call(calls[collective], right)
        if collective == "broadcast":
            x = self._words(words)
            return Call(lambda: t.broadcast(x, root=root), [np.tile(x, (nodes, 1))])
        if collective == "exchange":
            x = self._words(nodes, nodes, words)
            return Call(lambda: t.alltoall(x), [x.swapaxes(0, 1)])
        x = self._words(nodes, words)
        calls = {"gossip": lambda: t.allgather(x), "scatter": lambda: t.scatter(x, root=root), "gather": lambda: t.gather(x, root=root)}
        return Call(calls[collective], [x])

    def _grouped(self, program: Program) -> Call:
        """A call of each group, whose result is that of a collective on as many nodes."""
        t, groups = self.torus, Groups(program)
        collective, form = program["collective"], program["groups"]["form"]
        if "lengths" in program:
            return self._uneven(program, 0)
        combines = "operation" in program
        shapes = [groups.taken(len(nodes)) for nodes in groups.members]
        x = [self._values(program, *shape) if combines else self._words(*shape) for shape in shapes]
        root = groups.root_numbers()[0] if groups.roots else 0
        calls: Dict[str, Callable[[], Any]] = {
            "gossip": lambda: t.allgather(x, group=form),
            "exchange": lambda: t.alltoall(x, group=form),
            "broadcast": lambda: t.broadcast(x, root=root, group=form),
            "scatter": lambda: t.scatter(x, root=root, group=form),
            "gather": lambda: t.gather(x, root=root, group=form),
            "all-reduce": lambda: t.allreduce(x, operation=program["operation"], group=form),
            "reduce-scatter": lambda: t.reduce_scatter(x, operation=program["operation"], group=form),
            "reduce": lambda: t.reduce(x, root=root, operation=program["operation"], group=form),
        }
        others: Dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
            "broadcast": lambda array, nodes: np.tile(array, (nodes, 1)),
            "exchange": lambda array, _: array.swapaxes(0, 1),
        }
        if combines:
            right = self._combined_in_groups(program, x)
        else:
            right = [others.get(collective, lambda array, _: array)(array, len(nodes)) for array, nodes in zip(x, groups.members)]
        return Call(calls[collective], [np.stack(right)] if are_alike(groups.members) else right)

    def _combined_in_groups(self, program: Program, x: List[np.ndarray]) -> List[np.ndarray]:
        """Combination of the rows of each group, in any order or in that of the program."""
        if program["values"] not in FLOATS and program["operation"] != "custom":
            return [INTEGERS[program["operation"]].reduce(array, axis=0, dtype=array.dtype) for array in x]
        return list(reference(self.folder / program["schedule"], x, count=program.get("count")))

    def _halo(self, program: Program) -> Call:
        """A halo: what comes from a neighbour is what it sends the other way."""
        t, offsets = self.torus, program["offsets"]
        x = [self._words(t.nodes, offset["words"]) for offset in offsets]
        right = []
        for offset in offsets:
            back = next(at for at, other in enumerate(offsets) if other["hops"] == [-hops for hops in offset["hops"]])
            rows = [np.zeros_like(x[back][0]) if there is None else x[back][there] for there in offset["to"]]
            right.append(np.stack(rows))
        form = program.get("groups", {}).get("form")
        return Call(lambda: t.halo(x, group=form), right)

    def _uneven(self, program: Program, root: int) -> Call:
        """A call whose blocks have lengths of their own."""
        t, nodes = self.torus, self.torus.nodes
        if program["collective"] == "exchange" or "groups" in program:
            lengths = np.array(program["lengths"])
            x = [self._words(int(words)) for words in lengths.sum(1)]
            blocks = [np.split(row, np.cumsum(of)[:-1]) for row, of in zip(x, lengths)]
            right = [np.concatenate([blocks[sender][node] for sender in range(nodes)]) for node in range(nodes)]
            form = program.get("groups", {}).get("form")
            calls = {"exchange": t.alltoall, "scatter": t.scatter, "gather": t.gather}
            return Call(lambda: calls[program["collective"]](x, group=form), right)
        (counts,) = program["lengths"]
        rows = [self._words(words) for words in counts]
        if program["collective"] == "scatter":
            return Call(lambda: t.scatter(np.concatenate(rows), root=root), rows)
        return Call(lambda: t.gather(rows, root=root), [np.concatenate(rows)])

    def _nodes(self, program: Program) -> int:
        """Nodes that have the collective together, at most."""
        groups = program.get("groups")
        return max(len(nodes) for nodes in groups["nodes"]) if groups else self.torus.nodes

    def size(self, program: Program) -> int:
        """Bytes of the message, or of all blocks of a node."""
        is_of_all, _ = SHARES[program["collective"]]
        if "lengths" in program:
            words = max(sum(row) for row in program["lengths"])
        elif "count" in program:
            words = program["count"]
        else:
            words = program["words"] * (self._nodes(program) if is_of_all else 1)
        return int(words) * TYPES[self.torus.width]

    def row(self, program: Program, runs: int, clock: Optional[float]) -> Optional[Row]:
        """Calls a program so many times; nothing if another one, which does the same, is played in its place."""
        # exchanges are called by `alltoall`, which takes the first without offsets
        form = program.get("groups", {}).get("form")
        exchanges = [one for one in self.torus._about["programs"] if one["collective"] == "exchange" and one.get("groups", {}).get("form") == form]
        even = next((one for one in exchanges if "offsets" not in one), None)
        if program in exchanges and program is not (even or exchanges[0]) and not is_mutual(program):
            return None
        clocks, calls = [], []
        words = wrong = 0
        for _ in range(runs):
            run, right = self.call(program)
            begun = time.perf_counter()
            got = run()
            calls.append(time.perf_counter() - begun)
            if self.torus.regs.program != program["number"]:
                return None
            clocks.append(max(board.regs.cycles for board in self.torus.boards))
            rows = got if isinstance(got, list) else [got]
            for one, other in zip(rows, right):
                words += other.size
                wrong += int((_bits(one, self.unsigned) != _bits(other, self.unsigned)).sum())
        _, share = SHARES[program["collective"]]
        size, taken = self.size(program), int(median(clocks))
        seconds = taken / clock if clock else None
        alg = size / seconds / 1e6 if seconds else None
        return Row(
            program=program["number"],
            collective=program["collective"],
            operation=program.get("operation") or "",
            scheme=program["scheme"],
            bytes=size,
            ticks=program["ticks"],
            clocks=taken,
            time=seconds and seconds * 1e6,
            alg=alg,
            bus=alg and alg * share(self._nodes(program)),
            call=median(calls) * 1e3,
            words=words,
            wrong=wrong,
        )


def _bits(array: np.ndarray, unsigned: np.dtype) -> np.ndarray:
    """Words of an array in the order of its places."""
    return np.ascontiguousarray(array).reshape(-1).view(unsigned)


def _text(rows: Sequence[Row]) -> str:
    """A line for each row, columns one below the other."""
    heads = ("program", "collective", "by", "scheme", "bytes", "ticks", "clocks", "us", "alg MB/s", "bus MB/s", "call ms", "wrong")
    number = "{:.2f}".format
    cells = [
        (
            *(str(cell) for cell in (row.program, row.collective, row.operation, row.scheme, row.bytes, row.ticks, row.clocks)),
            *("" if value is None else number(value) for value in (row.time, row.alg, row.bus, row.call)),
            str(row.wrong),
        )
        for row in rows
    ]
    widths = [max(len(line[at]) for line in [heads, *cells]) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) if 0 < at < 4 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths))) for line in [heads, *cells]]
    return "\n".join(line.rstrip() for line in lines)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Prints the table; 1 if a word is wrong."""
    parser = argparse.ArgumentParser(prog="python -m torusweave.bench", description="Calls every program of a design, compares every word, and says what it took.")
    parser.add_argument("where", nargs="+", help="sim:DIR, tcp:HOST:PORT or serial:PORT; one for each board")
    parser.add_argument("--folder", help="folder of the design's NAME_programs.json, if not DIR")
    parser.add_argument("--runs", type=int, default=5, help="calls of each program [5]")
    parser.add_argument("--clock", type=float, help="clocks per second [the `clock` of the config]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the data [1]")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds that a call waits [60]")
    parser.add_argument("--trust", action="store_true", help="simulate Verilog that calls programs or reads files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    if asked.runs < 1:
        parser.error(f"--runs: must be at least 1 (is {asked.runs})")
    if asked.clock is not None and not asked.clock > 0:
        parser.error(f"--clock: must be above 0 (is {asked.clock})")
    where = asked.where[0] if len(asked.where) == 1 else asked.where
    try:
        with connect(where, asked.folder, timeout=asked.timeout, trust=asked.trust) as torus:
            about = torus._about
            clock = asked.clock or about["config"]["host"].get("clock")
            bench = Bench(torus, asked.seed)
            found = [bench.row(program, asked.runs, clock) for program in about["programs"]]
    except TorusError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = [row for row in found if row is not None]
    words, wrong = sum(row.words for row in rows), sum(row.wrong for row in rows)
    if asked.json:
        print(json.dumps({"name": about["name"], "clock": clock, "runs": asked.runs, "programs": [row._asdict() for row in rows]}, indent=2))
    else:
        at = f" at {clock / 1e6:g} MHz" if clock else ""
        print(f"{about['name']}: {about['nodes']} nodes, words of {about['width']} bits{at}; {asked.runs} calls of each program")
        print(_text(rows))
        for number in (number for number, row in enumerate(found) if row is None):
            print(f"program {number} is left out: an earlier one is called in its place")
        print(f"{wrong} of {words} words are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
