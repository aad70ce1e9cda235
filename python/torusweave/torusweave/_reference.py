"""Reductions in software, in the order of a program: read from docs/program-format.md, and from nothing else."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._errors import ProgramError
from ._groups import are_alike

OPERATIONS = ("sum", "max", "min", "xor", "and", "or", "custom")
# operations in which a value counts once however often it is combined
IDEMPOTENT = ("max", "min", "and", "or")
# bytes of a number; words of any width have none
SIZES = {"f32": 4, "u32": 4, "i32": 4, "bf16": 2, "f16": 2}

Json = Dict[str, Any]
# the packet, as the number of its node times packets per node and its own, the flit, its values, and a bit for each node that is in it
Partial = Tuple[int, int, np.ndarray, int]
# combiner of your own, on arrays of words
Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Operand(NamedTuple):
    """Arrival at a port, `age` ticks ago."""

    port: int
    age: int


class Send(NamedTuple):
    """Send of an output in a tick: the node's own value with what arrived, or one arrival as it came."""

    has_own: bool
    operands: List[Operand]


class Arithmetic:
    """Combination of two arrays of values, which are kept as bits in unsigned words of their size."""

    FLOATS = {"f32": (np.uint32, 23, 8), "bf16": (np.uint16, 7, 8), "f16": (np.uint16, 10, 5)}

    def __init__(
        self, operation: str, number: Optional[str], flush: bool, word: np.dtype, custom: Optional[Combine] = None
    ) -> None:
        self.operation, self.number, self.flush, self.word = operation, number, flush, word
        self.custom = custom
        self.is_float = number in self.FLOATS
        if operation not in OPERATIONS:
            raise ProgramError(f"program: the operation must be one of {', '.join(OPERATIONS)} (is {operation!r})")
        if number is not None and number not in SIZES:
            raise ProgramError(f"program: the number must be one of {', '.join(SIZES)} (is {number!r})")
        if self.is_float and operation in ("xor", "and", "or"):
            raise ProgramError(f"program: {operation} is not supported with {number}")
        if not isinstance(flush, bool):
            raise ProgramError(f"program: flush must be true or false (is {flush!r})")
        if self.is_float:
            word_type, self.fraction, exponent = self.FLOATS[number or ""]
            self.word = np.dtype(word_type)
            self.sign = 1 << (self.fraction + exponent)
            self.infinity = ((1 << exponent) - 1) << self.fraction
            self.nan = self.infinity | 1 << (self.fraction - 1)

    def bits(self, x: np.ndarray) -> np.ndarray:
        """The bits of an array: of floats and of signed numbers, too."""
        if x.dtype.itemsize != self.word.itemsize or x.dtype.kind not in self._kinds() and x.dtype.name != self._name():
            numbers = self.number or f"words of {8 * self.word.itemsize} bits"
            raise ProgramError(f"x: {x.dtype} is not supported: {self.operation} is of {numbers}")
        # in the byte order of this machine
        native = x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
        return np.ascontiguousarray(native).view(self.word)

    def _kinds(self) -> str:
        """Kinds of arrays whose bits are such values."""
        is_unsigned = self.number in (None, "u32") and self.operation in ("max", "min")
        return "u" if is_unsigned else "iu"

    def _name(self) -> Optional[str]:
        """Type of numpy that has such values."""
        return {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}.get(self.number or "")

    def combine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Each value of one array with one of the other."""
        if self.custom is not None:
            try:
                combined = np.asarray(self.custom(a, b))
            except Exception as error:
                raise ProgramError(f"combine: {type(error).__name__}: {error}") from error
            if combined.shape != a.shape or combined.dtype.kind not in "iu":
                raise ProgramError(f"combine: must return {a.shape} integers (returned {combined.shape} of {combined.dtype})")
            return combined.astype(self.word)
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


def _is_number(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _number(fields: Json, name: str, least: int = 1, default: Optional[int] = None) -> int:
    """A field that is a number."""
    value = fields.get(name, default)
    if not _is_number(value, least):
        raise ProgramError(f"program: {name} must be a number of at least {least} (is {value!r})")
    return int(value)


class Network:
    """Nodes, ports, and where they lead."""

    def __init__(self, topology: Json) -> None:
        shapes = [shape for shape in ("torus", "mesh", "cycle", "path", "lattice") if shape in topology]
        if len(shapes) != 1:
            raise ProgramError(f"program: topology must have one network (has {', '.join(shapes) or 'none'})")
        sides = topology[shapes[0]]
        if shapes[0] == "lattice":
            self.rows: List[List[int]] = [list(row) for row in sides]
        else:
            sides = sides if isinstance(sides, list) else [sides]
            self.rows = [[side if i == j else 0 for j in range(len(sides))] for i, side in enumerate(sides)]
        self.axes = len(self.rows)
        if any(len(row) != self.axes or not all(_is_number(entry, 0) for entry in row) for row in self.rows):
            raise ProgramError("program: topology must have a row of numbers per axis")
        self.sides = [row[i] for i, row in enumerate(self.rows)]
        if not self.sides or min(self.sides) < 1:
            raise ProgramError("program: topology must have sides of at least 1")
        self.nodes = math.prod(self.sides)
        is_open = shapes[0] in ("mesh", "path")
        self.wrap: List[bool] = topology.get("wrap", [not is_open] * self.axes)
        if len(self.wrap) != self.axes or not all(isinstance(wraps, bool) for wraps in self.wrap):
            raise ProgramError("program: topology.wrap must have true or false per axis")
        dead = topology.get("dead", {})
        self.dead = set(dead.get("nodes", []))
        names = [f"x{axis + 1}{way}" for axis in range(self.axes) for way in "-+"]
        self.cut: set = set()
        if not all(_is_number(node, 0) and node < self.nodes for node in [*self.dead, *(end[0] for end in dead.get("links", []))]):
            raise ProgramError(f"program: topology.dead must have nodes below {self.nodes}")
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
        if program.get("collective") not in ("reduce", "reduce-scatter", "all-reduce"):
            raise ProgramError(f"program: must be a reduce, a reduce-scatter or an all-reduce (is {program.get('collective')})")
        self.program = program
        self.network = Network(program["topology"])
        self.ports = {name: at for at, name in enumerate(program["ports"])}
        if len(self.ports) != 2 * self.network.axes:
            raise ProgramError(f"program: ports must be {2 * self.network.axes} names (are {program['ports']})")
        self.flits, self.packets = _number(program, "flits"), _number(program, "packets")
        self.groups = self._groups()
        # by node, the nodes whose values are combined with its own
        self.group = {node: group for group in self.groups for node in group}
        self.owners = self._owners()
        # number of the first packet of each node that has some
        self.first = {node: at * self.packets for at, node in enumerate(self.owners)}
        self.latency = _number(program, "reduce_latency", default=program.get("latency", 1))
        self.length = _number(program, "ticks", least=0)
        self.ticks = _number(program, "reduce_ticks", least=0, default=self.length)
        self.everywhere = program.get("everywhere", False)
        if self.everywhere not in (False, True) or self.everywhere and (self.ticks != self.length or program["collective"] != "all-reduce" or "messages" not in program):
            raise ProgramError("program: everywhere must be true only in an all-reduce of one part, of packets of one node")
        if self.ticks > self.length or _number(program, "lanes", default=1) != 1:
            raise ProgramError(f"program: a reduce part of {self.ticks} ticks and one lane must be within {self.length} ticks")
        self.order, self.class_of = program["order"], program["class_of"]
        classes = range(len(program["classes"]))
        # a link that is longer than the program brings nothing
        if self.latency > self.ticks + 1:
            raise ProgramError(f"program: links of {self.latency} ticks must be within {self.ticks} ticks")
        dead = [kind is None for kind in self.class_of]
        if len(dead) != self.network.nodes or dead != [node in self.network.dead for node in range(self.network.nodes)] or len(program["results"]) != len(classes):
            raise ProgramError(f"program: class_of must have the {self.network.nodes} nodes, and results each class")
        if not all(kind is None or _is_number(kind, 0) and kind in classes for kind in self.class_of):
            raise ProgramError(f"program: class_of must have numbers below {len(classes)}")
        self.sends = [[self._sends(output) for output in self._outputs(kind)] for kind in program["classes"]]
        of_class = [[self._operands(operands) for operands in results] for results in program["results"]]
        self.results = [[] if kind is None else of_class[kind] for kind in self.class_of]
        has_results = [node not in self.network.dead and (self.everywhere or node in self.first) for node in range(self.network.nodes)]
        packets = [self.packets if has else 0 for has in has_results]
        if [len(results) for results in self.results] != packets:
            raise ProgramError(f"program: results must complete the {self.packets} packets of a node")

    def _groups(self) -> List[List[int]]:
        """The live nodes of each group."""
        live = [node for node in range(self.network.nodes) if node not in self.network.dead]
        groups: List[List[int]] = self.program.get("groups", [live])
        if sorted(node for group in groups for node in group) != live:
            raise ProgramError("program: groups must have every live node once")
        return groups

    def _owners(self) -> List[int]:
        """The nodes for which values are combined: all, or the root of each group."""
        if self.program["collective"] != "reduce" and "messages" not in self.program:
            return list(range(self.network.nodes))
        messages = self.program["messages"]
        owners = []
        for group in self.groups:
            own = [message for message in messages if message["from"] in group]
            root = own[0]["from"] if own else None
            if len(own) != self.packets or any(one != {"from": root, "to": None, "flits": self.flits} for one in own):
                raise ProgramError(f"program: messages must be {self.packets} packets of one node of each group, for all of its nodes")
            owners.append(root)
        if len(messages) != self.packets * len(owners):
            raise ProgramError("program: messages must be of live nodes")
        return sorted(owners)

    def _outputs(self, kind: Json) -> List[Json]:
        outputs: List[Json] = kind["outputs"]
        if [output["port"] for output in outputs] != list(self.ports):
            raise ProgramError(f"program: outputs of class {kind.get('name')} must be the ports, in their order")
        return outputs

    def _operands(self, operands: List[Json]) -> List[Operand]:
        if not all(_is_number(operand["age"], 1) and operand.get("lane", 0) == 0 for operand in operands):
            raise ProgramError("program: operands must have an age of at least 1, and no lane")
        return [Operand(self.ports[operand["in"]], operand["age"]) for operand in operands]

    def _sends(self, output: Json) -> List[Optional[Send]]:
        """Sends of an output, tick after tick of the reduce part."""
        runs, again = output["runs"], output.get("repeat_from")
        lengths = [_number(run, "ticks") for run in runs]
        if again is None and sum(lengths) != self.length or again is not None and again not in range(len(runs)):
            raise ProgramError(f"program: the runs of {output['port']} must last {self.length} ticks (last {sum(lengths)})")
        ticks: List[Optional[Send]] = []
        known = ("sum", "idle", "in") if self.everywhere else ("sum", "idle")
        at = 0
        while len(ticks) < self.ticks:
            if at == len(runs):
                at = again
            run = runs[at]
            kinds = [kind for kind in ("sum", "idle", "own", "in", "any") if kind in run]
            if len(kinds) != 1 or kinds[0] not in known or kinds[0] == "idle" and run["idle"] is not True:
                raise ProgramError(f"program: a run of the reduce part must be {' or '.join(known)} (is {run})")
            operands = run["sum"] if "sum" in run else [run] if "in" in run else None
            send = None if operands is None else Send("sum" in run, self._operands(operands))
            ticks += [send] * min(lengths[at], self.ticks - len(ticks))
            at += 1
        return ticks

    def entry(self, node: int, port: str, number: int) -> Optional[int]:
        """Packet that an output begins to send."""
        is_relative = "offsets" in self.order
        entries = self.order["offsets"] if is_relative else self.order["nodes"][node]
        entry = entries[port][number]
        if entry is None:
            return None
        start, packet = entry
        # an owner is away by an offset, or has a number
        owner = self.network.away(node, start) if is_relative else start
        if not _is_number(owner, 0) or owner not in self.first or not _is_number(packet, 0) or packet >= self.packets:
            raise ProgramError(f"program: node {node}, {port}: entry {number} of order names no packet (is {entry})")
        return int(self.first[owner] + packet)

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
        begun: Dict[Tuple[int, int], List[Any]] = {(node, at): [0, 0, None] for node, at, _, _ in places}
        whole = {node: sum(1 << other for other in self.group[node]) for node in live}
        # first packet of the node of each group that has some, where every node combines all
        begins = {node: self.first[owner] for owner in self.owners if owner in self.group for node in self.group[owner]}

        def combined(node: int, own: np.ndarray, partials: List[Partial], what: str) -> Tuple[np.ndarray, int]:
            within = 1 << node
            for _, _, _, others in partials:
                if within & others and arithmetic.operation not in IDEMPOTENT:
                    raise ProgramError(f"program: {what} has a value twice")
                within |= others
            return arithmetic.all([own] + [partial[2] for partial in partials]), within

        def brought(node: int, tick: int, operands: List[Operand]) -> List[Partial]:
            found = [arrived[tick - age].get((node, port)) if tick > age else None for port, age in operands]
            return [partial for partial in found if partial is not None]

        for tick in range(1, self.ticks + 1):
            for node, at, name, there in places:
                send = self.sends[self.class_of[node]][at][tick - 1]
                if send is None:
                    continue
                partials = brought(node, tick, send.operands)
                if not send.has_own:
                    # sent on as it came
                    arrived[tick + self.latency - 1].update({(there, at ^ 1): partial for partial in partials})
                    continue
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
                    raise ProgramError(f"program: node {node}, {name} combines different packets in tick {tick}")
                what = f"what leaves node {node} by {name} in tick {tick}"
                arrived[tick + self.latency - 1][there, at ^ 1] = (
                    packet,
                    flit,
                    *combined(node, x[node, packet, flit], partials, what),
                )
        results = np.zeros(x.shape[1:], x.dtype)
        completed: Dict[Tuple[int, int], bytes] = {}
        for node in live:
            for own, operands in enumerate(self.results[node]):
                packet = (begins[node] if self.everywhere else self.first[node]) + own
                for flit in range(self.flits):
                    partials = brought(node, self.ticks + 1 + flit, operands)
                    if any(partial[:2] != (packet, flit) for partial in partials):
                        raise ProgramError(f"program: node {node} completes a packet that is not its own")
                    values, within = combined(node, x[node, packet, flit], partials, f"the result of node {node}")
                    if within & ~whole[node]:
                        raise ProgramError(f"program: the result of node {node} has values of other groups")
                    if within != whole[node]:
                        lacking = [other for other in self.group[node] if not within >> other & 1]
                        raise ProgramError(f"program: the result of node {node} has no value of node {lacking[0]}")
                    # a value that nothing completes is what it was
                    results[packet, flit] = values if partials else x[node, packet, flit]
                    bits = results[packet, flit].tobytes()
                    if completed.setdefault((packet, flit), bits) != bits:
                        raise ProgramError(f"program: the result of node {node} is another one than that of node {self.group[node][0]}")
        return results


def reference(
    program: Union[str, Path, Json],
    x: Any,
    combine: Optional[Combine] = None,
    root: Optional[int] = None,
    count: Optional[int] = None,
) -> Any:
    """Combination of all nodes' values as hardware has it, bit for bit.

    `program` is `program.json`, its path or what it has been read to. `x` has a row per node, and in it, for each live node, or for
    the root of a reduce, for each of its packets, for each flit a value; a further axis has as many independent sums. Rows of dead nodes are ignored, and
    may be left out. Of a program with `groups`, `x` has such an array for each group, and so has the result.
    Values are of the program's number: numpy's float32, float16, int32, uint32, or their bits in integers; for bf16 these, or
    `bfloat16` of ml_dtypes. The result is one such row. A program that does not combine every node's value once is refused.

    Of a program with `count`, rows have `count` values; what its blocks have besides is padding.

    A program with `root: any` is written for node 0; `root` is the node that it is called for.

    With `operation: custom`, `combine` is what your module does, on two arrays of unsigned words; left out it is the sum of the
    module that was generated.
    """
    if isinstance(x, np.ma.MaskedArray):
        raise ProgramError("x: masked arrays are not supported: fill in what is masked, as `x.filled(0)` does")
    try:
        if isinstance(program, (str, Path)):
            program = json.loads(Path(program).read_text())
        if not isinstance(program, dict):
            raise ProgramError("program: must be an object, or the path of one")
        if "groups" in program:
            return _in_groups(program, [np.asarray(one) for one in x], combine, root, count)
        x = np.asarray(x)
        return _combined(program, x, combine, root) if count is None else _counted(program, x, combine, root, count)
    except ProgramError:
        raise
    except (OSError, RecursionError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ProgramError(f"program: cannot be read: {error}") from error
    # fields that are missing, or of another type than the format says
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError, MemoryError) as error:
        raise ProgramError(f"program: is damaged: {type(error).__name__}: {error}") from error


def _in_groups(program: Json, x: List[np.ndarray], combine: Optional[Combine], root: Optional[int], count: Optional[int]) -> Any:
    """Combination of the rows of each group: all in one array, in which a group has values of its own only."""
    reduction = Reduction(program)
    owners = [node for node in reduction.owners if node not in reduction.network.dead]
    slots = reduction.packets * reduction.flits
    if len(x) != len(reduction.groups):
        raise ProgramError(f"x: must have an array for each of {len(reduction.groups)} groups (has {len(x)})")
    if len({one.dtype for one in x}) > 1:
        raise ProgramError("x: arrays of several types are not supported together")
    own = [[at for at, owner in enumerate(owners) if owner in group] for group in reduction.groups]
    places = [[at * slots + slot for at in of for slot in range(slots)] for of in own]
    sums = None
    for one, group, of in zip(x, reduction.groups, places):
        values = len(of) if count is None else count
        each = one.size // (len(group) * values) if one.ndim > 0 and one.shape[0] == len(group) and 0 < values <= len(of) else 0
        if each == 0 or one.size != len(group) * values * each or sums not in (None, each):
            raise ProgramError(f"x: must have {len(group)} rows of {values} values each (has shape {one.shape})")
        sums = each
    whole = np.zeros((reduction.network.nodes, len(owners) * slots, sums or 1), x[0].dtype)
    for one, group, of in zip(x, reduction.groups, places):
        rows = one.reshape(len(group), -1, sums or 1)
        whole[np.ix_(group, of[: rows.shape[1]])] = rows
    combined = _combined(program, whole, combine, root)
    results = [combined[of[: len(of) if count is None else count]].reshape(one.shape[1:]) for one, of in zip(x, places)]
    return np.stack(results) if are_alike(reduction.groups) else results


def _counted(program: Json, x: np.ndarray, combine: Optional[Combine], root: Optional[int], count: int) -> np.ndarray:
    """Combination of rows of so many values, padded to what the program takes."""
    reduction = Reduction(program)
    live = [node for node in reduction.owners if node not in reduction.network.dead]
    words = len(live) * reduction.packets * reduction.flits
    if not _is_number(count, 1) or count > words or x.ndim < 1 or x.size != x.shape[0] * count:
        raise ProgramError(f"count: must be the values of a row, at most {words} (is {count}; x has shape {x.shape})")
    padded = np.zeros((x.shape[0], words), x.dtype)
    padded[:, :count] = x.reshape(x.shape[0], count)
    return _combined(program, padded, combine, root)[:count].reshape(x.shape[1:])


def _combined(program: Json, x: np.ndarray, combine: Optional[Combine], root: Optional[int]) -> np.ndarray:
    reduction = Reduction(program)
    nodes = reduction.network.nodes
    if root is not None and (program["collective"] != "reduce" or reduction.owners != [0] or not all(reduction.network.wrap) or reduction.network.cut or reduction.network.dead):
        raise ProgramError("root: must be left out, but for a reduce at node 0 of nodes that all look alike")
    root = int(root) if isinstance(root, np.integer) else root
    if root is not None and (not _is_number(root, 0) or root >= nodes):
        raise ProgramError(f"root: must be a node below {nodes} (is {root})")
    live = [node for node in range(nodes) if node not in reduction.network.dead]
    # places of the nodes for which values are combined, among those that may have some
    owners = [at for at, node in enumerate(reduction.owners) if node not in reduction.network.dead]
    words = len(owners) * reduction.packets * reduction.flits
    rows = x.shape[0] if x.ndim > 0 else 0
    if rows not in (nodes, len(live)) or x.size == 0 or x.size % (rows * words):
        raise ProgramError(f"x: must have {len(live)} rows of {words} values each (has shape {x.shape})")
    number = program.get("number")
    size = SIZES.get(number, x.dtype.itemsize) if isinstance(number, (str, type(None))) else 0
    if size not in (1, 2, 4, 8):
        raise ProgramError(f"x: {x.dtype} is not supported: values are integers or floats of up to 64 bits")
    if combine is not None and program.get("operation") != "custom":
        raise ProgramError(f"combine: the program's operation is {program.get('operation')}, not custom")
    arithmetic = Arithmetic(program.get("operation", ""), number, program.get("flush", False), np.dtype(f"u{size}"), combine)
    given = arithmetic.bits(x).reshape(rows, len(owners), reduction.packets, reduction.flits, -1)
    bits = np.zeros((nodes, len(reduction.owners)) + given.shape[2:], given.dtype)
    bits[np.ix_(live, owners)] = given if rows < nodes else given[live]
    if root is not None:
        # each node as the root sees it
        bits = bits[[reduction.network.away(root, reduction.network.coordinates(node)) for node in range(nodes)]]
    packets = (len(reduction.owners) * reduction.packets, reduction.flits, -1)
    results = reduction.play(bits.reshape((nodes,) + packets), arithmetic)
    native = x.dtype.newbyteorder("=") if not x.dtype.isnative else x.dtype
    combined = results.reshape(bits.shape[1:])[owners].view(native).reshape(x.shape[1:])
    return combined.astype(x.dtype, copy=False)
