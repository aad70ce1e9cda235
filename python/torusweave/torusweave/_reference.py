"""Reductions in software, in the order of a program: read from docs/program-format.md, and from nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

Json = Dict[str, Any]
# the packet, as the number of its node times packets per node and its own, the flit, and its values
Partial = Tuple[int, int, np.ndarray]
# combiner of your own, on arrays of words
Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Operand(NamedTuple):
    """Arrival at a port, `age` ticks ago."""

    port: int
    age: int


class Arithmetic:
    """Combination of two arrays of values, which are kept as bits in unsigned words of their size."""

    FLOATS = {"f32": (np.uint32, 23, 8), "bf16": (np.uint16, 7, 8), "f16": (np.uint16, 10, 5)}

    def __init__(
        self, operation: str, number: Optional[str], flush: bool, word: np.dtype, custom: Optional[Combine] = None
    ) -> None:
        self.operation, self.number, self.flush, self.word = operation, number, flush, word
        self.custom = custom
        self.is_float = number in self.FLOATS
        if self.is_float:
            word_type, self.fraction, exponent = self.FLOATS[number or ""]
            self.word = np.dtype(word_type)
            self.sign = 1 << (self.fraction + exponent)
            self.infinity = ((1 << exponent) - 1) << self.fraction
            self.nan = self.infinity | 1 << (self.fraction - 1)

    def bits(self, x: np.ndarray) -> np.ndarray:
        """The bits of an array: of floats and of signed numbers, too."""
        if x.dtype.itemsize != self.word.itemsize:
            raise ValueError(f"x: values must have {8 * self.word.itemsize} bits (are {x.dtype})")
        return np.ascontiguousarray(x).view(self.word)

    def combine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Each value of one array with one of the other."""
        if self.custom is not None:
            return np.asarray(self.custom(a, b)).astype(self.word)
        if self.is_float:
            return self._sum(a, b) if self.operation == "sum" else self._extreme(a, b)
        operations = {"xor": np.bitwise_xor, "and": np.bitwise_and, "or": np.bitwise_or, "sum": np.add, "custom": np.add}
        if self.operation in operations:
            return operations[self.operation](a, b)
        signed = np.dtype(f"i{self.word.itemsize}") if self.number == "i32" else self.word
        extreme = np.maximum if self.operation == "max" else np.minimum
        return extreme(a.view(signed), b.view(signed)).view(self.word)

    def all(self, values: List[np.ndarray]) -> np.ndarray:
        """Neighbours pairwise, until one array is left."""
        if len(values) == 1 and self.is_float:
            return self._alone(values[0])
        while len(values) > 1:
            pairs = [values[at : at + 2] for at in range(0, len(values), 2)]
            values = [self.combine(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        return values[0]

    def _is_nan(self, bits: np.ndarray) -> np.ndarray:
        return (bits & (self.sign - 1)) > self.infinity

    def _alone(self, bits: np.ndarray) -> np.ndarray:
        if self.operation == "sum":
            return self._sum(bits, np.full_like(bits, self.sign))
        return np.where(self._is_nan(bits), self.nan, bits).astype(self.word)

    def _flushed(self, bits: np.ndarray) -> np.ndarray:
        is_subnormal = (bits & self.infinity) == 0
        return np.where(is_subnormal & self.flush, bits & self.sign, bits).astype(self.word)

    def _sum(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = self._flushed(a), self._flushed(b)
        with np.errstate(all="ignore"):
            if self.number == "f32":
                total = (a.view(np.float32) + b.view(np.float32)).view(np.uint32)
            elif self.number == "f16":
                total = (a.view(np.float16) + b.view(np.float16)).view(np.uint16)
            else:
                total = self._to_bf16(self._widened(a) + self._widened(b))
        is_nan = self._is_nan(a) | self._is_nan(b) | self._is_nan(total)
        return np.where(is_nan, self.nan, self._flushed(total)).astype(self.word)

    @staticmethod
    def _widened(bits: np.ndarray) -> np.ndarray:
        return (bits.astype(np.uint32) << 16).view(np.float32)

    @staticmethod
    def _to_bf16(wide: np.ndarray) -> np.ndarray:
        # a sum of two bf16 that was rounded to f32 is rounded as the exact one: 24 bits are more than 2 * 8 + 1
        bits = wide.view(np.uint32).astype(np.uint64)
        up = (bits >> 16 & 1) + 0x7FFF
        return np.where(np.isnan(wide), 0x7FC0, (bits + up) >> 16).astype(np.uint16)

    def _extreme(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        def order(bits: np.ndarray) -> np.ndarray:
            magnitude = (bits & (self.sign - 1)).astype(np.int64)
            return np.where(bits & self.sign, -1 - magnitude, magnitude)

        takes_a = order(a) >= order(b) if self.operation == "max" else order(a) <= order(b)
        is_nan = self._is_nan(a) | self._is_nan(b)
        return np.where(is_nan, self.nan, np.where(takes_a, a, b)).astype(self.word)


class Network:
    """Nodes, ports, and where they lead."""

    def __init__(self, topology: Json) -> None:
        open_axes = any(shape in topology for shape in ("mesh", "path"))
        sides = next(topology[shape] for shape in ("torus", "mesh", "cycle", "path", "lattice") if shape in topology)
        if "lattice" in topology:
            self.rows: List[List[int]] = sides
        else:
            sides = sides if isinstance(sides, list) else [sides]
            self.rows = [[side if i == j else 0 for j in range(len(sides))] for i, side in enumerate(sides)]
        self.sides = [row[i] for i, row in enumerate(self.rows)]
        self.axes = len(self.sides)
        self.nodes = int(np.prod(self.sides))
        self.wrap: List[bool] = topology.get("wrap", [not open_axes] * self.axes)
        dead = topology.get("dead", {})
        self.dead = set(dead.get("nodes", []))
        names = [f"x{axis + 1}{way}" for axis in range(self.axes) for way in "-+"]
        self.cut = set()
        for node, port in dead.get("links", []):
            self._cut(node, names.index(port))

    def _cut(self, node: int, port: int) -> None:
        there = self.step(node, port)
        self.cut.add((node, port))
        if there is not None:
            self.cut.add((there, port ^ 1))

    def coordinates(self, node: int) -> List[int]:
        """Coordinates of a node, numbered row by row."""
        coordinates = []
        for side in reversed(self.sides):
            node, coordinate = divmod(node, side)
            coordinates.append(coordinate)
        return coordinates[::-1]

    def node(self, point: List[int]) -> int:
        """The node at a point of the grid: the rows of the lattice are taken away, one after the other."""
        point = list(point)
        for axis, row in enumerate(self.rows):
            times = point[axis] // row[axis]
            point = [x - times * y for x, y in zip(point, row)]
        number = 0
        for coordinate, side in zip(point, self.sides):
            number = number * side + coordinate
        return number

    def away(self, node: int, offset: List[int]) -> int:
        """The node so far away along each axis."""
        return self.node([x + y for x, y in zip(self.coordinates(node), offset)])

    def step(self, node: int, port: int) -> Optional[int]:
        """The neighbour at a port, if there is one."""
        if (node, port) in self.cut or node in self.dead:
            return None
        axis, forward = divmod(port, 2)
        point = self.coordinates(node)
        point[axis] += 1 if forward else -1
        if not self.wrap[axis] and not 0 <= point[axis] < self.sides[axis]:
            return None
        there = self.node(point)
        return None if there in self.dead or there == node else there


class Reduction:
    """A program that combines values."""

    def __init__(self, program: Json) -> None:
        if program.get("collective") not in ("reduce-scatter", "all-reduce"):
            raise ValueError(f"program: must be a reduce-scatter or an all-reduce (is {program.get('collective')})")
        self.program = program
        self.network = Network(program["topology"])
        self.ports = {name: at for at, name in enumerate(program["ports"])}
        self.flits, self.packets = program["flits"], program["packets"]
        self.latency = program.get("reduce_latency", program.get("latency", 1))
        self.ticks = program.get("reduce_ticks", program["ticks"])
        self.order, self.class_of = program["order"], program["class_of"]
        self.sums = [[self._sums(output) for output in kind["outputs"]] for kind in program["classes"]]
        of_class = [[self._operands(operands) for operands in results] for results in program["results"]]
        self.results = [[] if kind is None else of_class[kind] for kind in self.class_of]

    def _operands(self, operands: List[Json]) -> List[Operand]:
        return [Operand(self.ports[operand["in"]], operand["age"]) for operand in operands]

    def _sums(self, output: Json) -> List[Optional[List[Operand]]]:
        """Operands of an output, tick after tick of the reduce part."""
        ticks: List[Optional[List[Operand]]] = []
        for run in output["runs"]:
            sums = self._operands(run["sum"]) if "sum" in run else None
            ticks += [sums] * min(run["ticks"], self.ticks - len(ticks))
        return ticks

    def entry(self, node: int, port: str, number: int) -> Optional[int]:
        """Packet that an output begins to send."""
        if "offsets" in self.order:
            entry = self.order["offsets"][port][number]
            return None if entry is None else self.network.away(node, entry[0]) * self.packets + entry[1]
        entry = self.order["nodes"][node][port][number]
        return None if entry is None else entry[0] * self.packets + entry[1]

    def play(self, x: np.ndarray, arithmetic: Arithmetic) -> np.ndarray:
        """The results, of bits by node, packet and flit."""
        network, nodes = self.network, range(self.network.nodes)
        live = [node for node in nodes if node not in network.dead]
        places = [
            (node, at, name, network.step(node, at))
            for node in live
            for name, at in self.ports.items()
            if network.step(node, at) is not None
        ]
        # arrivals by tick
        arrived: List[Dict[Tuple[int, int], Partial]] = [{} for _ in range(self.ticks + self.latency)]
        begun = {(node, at): [0, 0, None] for node, at, _, _ in places}

        def brought(node: int, tick: int, operands: List[Operand]) -> List[Partial]:
            found = [arrived[tick - age].get((node, port)) if tick > age else None for port, age in operands]
            return [partial for partial in found if partial is not None]

        for tick in range(1, self.ticks + 1):
            for node, at, name, there in places:
                operands = self.sums[self.class_of[node]][at][tick - 1]
                if operands is None:
                    continue
                partials = brought(node, tick, operands)
                state = begun[node, at]
                flit = state[0] % self.flits
                state[0] += 1
                if flit == 0:
                    if self.order.get("starts") and partials:
                        state[2] = partials[0][0]
                    else:
                        state[2] = self.entry(node, name, state[1])
                        state[1] += 1
                packet = state[2]
                if packet is None:
                    continue
                if any(partial[:2] != (packet, flit) for partial in partials):
                    raise ValueError(f"program: node {node}, {name} combines different packets in tick {tick}")
                values = [x[node, packet, flit]] + [partial[2] for partial in partials]
                arrived[tick + self.latency - 1][there, at ^ 1] = (packet, flit, arithmetic.all(values))
        results = np.zeros(x.shape[1:], x.dtype)
        for node in live:
            for own, operands in enumerate(self.results[node]):
                packet = node * self.packets + own
                for flit in range(self.flits):
                    partials = brought(node, self.ticks + 1 + flit, operands)
                    if any(partial[:2] != (packet, flit) for partial in partials):
                        raise ValueError(f"program: node {node} completes a packet that is not its own")
                    values = [x[node, packet, flit]] + [partial[2] for partial in partials]
                    # a value that nothing completes is what it was
                    results[packet, flit] = arithmetic.all(values) if partials else values[0]
        return results


def reference(program: Union[str, Path, Json], x: Any, combine: Optional[Combine] = None) -> np.ndarray:
    """Combination of all nodes' values as hardware has it, bit for bit.

    `program` is `program.json`, its path or what it has been read to. `x` has a row per node, and in it, for each live node, for
    each of its packets, for each flit a value; a further axis has as many independent sums. Rows of dead nodes are ignored.
    Values are of the program's number: numpy's float32, float16, int32, uint32, or their bits; for bf16 any 16-bit type. The
    result is one such row.

    With `operation: custom`, `combine` is what your module does, on two arrays of unsigned words; left out it is the sum of the
    module that was generated.
    """
    if isinstance(program, (str, Path)):
        program = json.loads(Path(program).read_text())
    reduction = Reduction(program)
    x = np.asarray(x)
    nodes = reduction.network.nodes
    live = [node for node in range(nodes) if node not in reduction.network.dead]
    words = len(live) * reduction.packets * reduction.flits
    if x.ndim < 1 or x.shape[0] != nodes or x.size == 0 or x.size % (nodes * words):
        raise ValueError(f"x: must have {nodes} rows of {words} values each (has shape {x.shape})")
    sizes = {"f32": 4, "u32": 4, "i32": 4, "bf16": 2, "f16": 2}
    number = program.get("number")
    word = np.dtype(f"u{sizes.get(number, x.dtype.itemsize)}")
    if combine is not None and program["operation"] != "custom":
        raise ValueError(f"combine: the program's operation is {program['operation']}, not custom")
    arithmetic = Arithmetic(program["operation"], number, program.get("flush", False), word, combine)
    given = arithmetic.bits(x).reshape(nodes, len(live), reduction.packets, reduction.flits, -1)
    bits = np.zeros((nodes, nodes) + given.shape[2:], given.dtype)
    bits[:, live] = given
    packets = (nodes * reduction.packets, reduction.flits, -1)
    results = reduction.play(bits.reshape((nodes,) + packets), arithmetic)
    return results.reshape(bits.shape[1:])[live].view(x.dtype).reshape(x.shape[1:])
