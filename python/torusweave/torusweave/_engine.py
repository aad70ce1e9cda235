"""An engine: its registers, its ring, its collectives."""

from __future__ import annotations

import struct
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

import numpy as np

from ._lines import Line, TorusError, described, description, open_line

ID = 0x54574345
TYPES = {8: 1, 16: 2, 32: 4}
# numpy's names of the values of a reduction; floats may come as their bits, too
FLOATS = {"f32": ("float32", "uint32"), "bf16": ("bfloat16", "uint16"), "f16": ("float16", "uint16")}
# the operations of the ring
END, SCATTER, WRITE, COLLECT, READ, COPY = range(6)
# a command has so many words at most
MOST_WORDS = 255
# commands that are not answered yet: more bytes than this do not fit into the engine's memory for them
MOST_AHEAD = 256
# bytes of the longest command
LONGEST = 6 + 4 * MOST_WORDS
# address of the register CTRL, in words: the same in every version
CTRL = 4
# seconds that the simulator of a large engine takes to build
BUILDING = 3600.0


class Registers:
    """The engine's registers by name: `t.regs.cycles`. Writing one writes it."""

    def __init__(self, torus: "Torus", registers: Sequence[Dict[str, Any]]) -> None:
        object.__setattr__(self, "_torus", torus)
        object.__setattr__(self, "_words", {register["name"].lower(): register["word"] for register in registers})

    def __getattr__(self, name: str) -> int:
        words: Dict[str, int] = object.__getattribute__(self, "_words")
        if name not in words:
            raise AttributeError(f"no register `{name}`: there are {', '.join(words)}")
        return self._torus.read(words[name])[0]

    def __setattr__(self, name: str, value: int) -> None:
        words: Dict[str, int] = object.__getattribute__(self, "_words")
        if name not in words:
            raise AttributeError(f"no register `{name}`: there are {', '.join(words)}")
        self._torus.write(words[name], [value])
        self._torus.flush()

    def __dir__(self) -> List[str]:
        return sorted(object.__getattribute__(self, "_words"))


class Torus:
    """An engine at the end of a line. Blocks are in the order of the nodes."""

    def __init__(self, line: Line, about: Dict[str, Any], answer: Sequence[int], timeout: float = 60.0) -> None:
        self._line = line
        self._about = about
        self._timeout = timeout
        self._out = b""
        self.nodes: int = about["nodes"]
        self.width: int = about["width"]
        self._word = {register["name"]: register["word"] for register in about["registers"]}
        self._errors = {code["number"]: code["about"] for code in about["codes"]}
        self.regs = Registers(self, about["registers"])
        self.sent = 0
        self.received = 0
        if answer[2] != about["hash"]:
            raise TorusError(f"another design answers: hash {answer[2]:08x}, not {about['hash']:08x}")

    def __enter__(self) -> "Torus":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

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
        return self._ask([(word, count, fixed)])[0]

    def flush(self) -> None:
        """Sends what was written."""
        data, self._out = self._out, b""
        self.sent += len(data)
        if data:
            self._line.write(data)

    def _ask(self, reads: Sequence[Tuple[int, int, bool]]) -> List[List[int]]:
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
        self.write(self._word["CTRL"], [2])
        self.read(self._word["STATUS"])

    # collectives

    def allgather(self, x: Any, all_nodes: bool = False) -> np.ndarray:
        """Every node's block: `x` has a block per node. With `all_nodes` what each node has, compared."""
        program = self._program("gossip")
        x, shape = self._blocks(x, program, 1)
        return self._everywhere(program, x, shape, all_nodes, self.nodes * program["words"])

    def allreduce(self, x: Any, all_nodes: bool = False) -> np.ndarray:
        """Combination of all nodes' values: `x` has a row of blocks per node."""
        program = self._program("all-reduce")
        x, shape = self._blocks(x, program, 2)
        self._combined(x, program)
        return self._everywhere(program, x, shape[1:], all_nodes, self.nodes * program["words"])

    def reduce_scatter(self, x: Any) -> np.ndarray:
        """One block of the combination per node: `x` has a row of blocks per node."""
        program = self._program("reduce-scatter")
        x, shape = self._blocks(x, program, 2)
        self._combined(x, program)
        return self._run(program, x, ("each", program["words"])).reshape(shape[1:]).view(x.dtype)

    def alltoall(self, x: Any) -> np.ndarray:
        """Block `x[i, j]` goes from node i to node j: the result is `x` with its first two axes exchanged."""
        program = self._program("exchange")
        x, shape = self._blocks(x, program, 2)
        return self._run(program, x, ("each", self.nodes * program["words"])).reshape(shape).view(x.dtype)

    def broadcast(self, x: Any, root: int = 0) -> np.ndarray:
        """The root's message at every node: a row per node."""
        program = self._program("broadcast", root)
        x = self._array(x)
        if x.size != program["words"] or x.ndim != 1:
            raise TorusError(f"shape {x.shape} is not supported: broadcast takes ({program['words']},)")
        got = self._run(program, x, ("each", program["words"]), root, [root])
        return got.reshape(self.nodes, -1).view(x.dtype)

    def scatter(self, x: Any, root: int = 0) -> np.ndarray:
        """One of the root's blocks per node."""
        program = self._program("scatter", root)
        x, shape = self._blocks(x, program, 1)
        return self._run(program, x, ("each", program["words"]), root, [root]).reshape(shape).view(x.dtype)

    def gather(self, x: Any, root: int = 0) -> np.ndarray:
        """Every node's block, as the root has them."""
        program = self._program("gather", root)
        x, shape = self._blocks(x, program, 1)
        taken = self._run(program, x, ("root", self.nodes * program["words"]), root)
        return taken.reshape(shape).view(x.dtype)

    def _program(self, collective: str, root: Optional[int] = None) -> Dict[str, Any]:
        programs: List[Dict[str, Any]] = [one for one in self._about["programs"] if one["collective"] == collective]
        if not programs:
            names = sorted({one["collective"] for one in self._about["programs"]})
            raise TorusError(f"{collective} is not resident: there are {', '.join(names)}")
        if root is None:
            return programs[0]
        if not isinstance(root, (int, np.integer)) or not 0 <= root < self.nodes:
            raise TorusError(f"root: {root} is no node from 0 to {self.nodes - 1}")
        for program in programs:
            if program["root"] in ("any", int(root)):
                return program
        roots = ", ".join(str(program["root"]) for program in programs)
        raise TorusError(f"root: {collective} from or to node {root} is not resident ({roots})")

    def _array(self, x: Any) -> np.ndarray:
        x = np.ascontiguousarray(x)
        if TYPES.get(self.width) != x.dtype.itemsize or x.dtype.kind not in "iuf" and x.dtype.name != "bfloat16":
            raise TorusError(f"{x.dtype} is not supported: the engine has words of {self.width} bits")
        return x

    @staticmethod
    def _combined(x: np.ndarray, program: Dict[str, Any]) -> None:
        """Refuses values that the engine would combine as others: it adds words, and compares them with or without a sign."""
        operation, signed = program["operation"], program["values"] == "i32"
        floats = FLOATS.get(program["values"])
        if floats:
            if x.dtype.name not in floats:
                raise TorusError(f"{x.dtype} is not supported: this engine's {operation} is of {' or '.join(floats)}")
            return
        kinds = {"max": "i" if signed else "u", "min": "i" if signed else "u"}.get(operation, "iu")
        if x.dtype.kind not in kinds:
            wanted = {"i": "integers with a sign", "u": "integers without a sign", "iu": "integers"}[kinds]
            raise TorusError(f"{x.dtype} is not supported: this engine's {operation} is of {wanted}")

    def _blocks(self, x: Any, program: Dict[str, Any], axes: int) -> Tuple[np.ndarray, Tuple[int, ...]]:
        """An array of a block per node, or of a row of them."""
        x = self._array(x)
        words = program["words"]
        wanted = (self.nodes,) * axes
        if x.shape != wanted + (words,) and not (words == 1 and x.shape == wanted):
            shown = wanted if words == 1 else wanted + (words,)
            raise TorusError(f"shape {x.shape} is not supported: {program['collective']} takes {shown}")
        return x, x.shape

    def _everywhere(
        self, program: Dict[str, Any], x: np.ndarray, shape: Tuple[int, ...], all_nodes: bool, words: int
    ) -> np.ndarray:
        got = self._run(program, x, ("each" if all_nodes else "root", words))
        if not all_nodes:
            return got.reshape(shape).view(x.dtype)
        rows = got.reshape((self.nodes,) + shape).view(x.dtype)
        differing = [node for node in range(self.nodes) if rows[node].tobytes() != rows[0].tobytes()]
        if differing:
            raise TorusError(f"node {differing[0]} has another result than node 0")
        return rows

    def _run(
        self,
        program: Dict[str, Any],
        x: np.ndarray,
        take: Tuple[str, int],
        root: int = 0,
        writers: Optional[List[int]] = None,
    ) -> np.ndarray:
        """Chooses the program, gives every node its words, or some of them, runs it, and takes the result."""
        if self.width not in TYPES:
            raise TorusError(f"words of {self.width} bits have no numpy type")
        unsigned = np.dtype(f"u{TYPES[self.width]}")
        values = x.reshape(-1).view(unsigned).astype(np.uint32).tolist()
        word = self._word
        self.write(word["PROGRAM"], [program["number"], root])
        for header in [WRITE << 28 | node << 16 for node in writers or []] or [SCATTER << 28 | len(values) // self.nodes]:
            self.write(word["HEAD"], [header])
            self.write(word["DATA"], values, fixed=True)
            self.write(word["HEAD"], [END])
        self.write(word["CTRL"], [1])
        kind, count = take
        self.write(word["HEAD"], [COLLECT << 28 | count if kind == "each" else READ << 28 | root << 16 | count])
        self.write(word["HEAD"], [END])
        total = count * self.nodes if kind == "each" else count
        data, (status,) = self._ask([(word["DATA"], total, True), (word["STATUS"], 1, False)])
        if status >> 2 & 1:
            code = status >> 16 & 255
            misframed = self.read(word["MISFRAMED"])[0]
            self.reset()
            where = "" if misframed == 0xFFFFFFFF else f", first at node {misframed}"
            raise TorusError(f"error {code}: {self._errors.get(code, 'unknown')}{where}; the engine was reset")
        return np.array(data, np.uint32).astype(unsigned)


def connect(where: str, folder: Optional[str] = None, baud: int = 115200, timeout: float = 60.0) -> Torus:
    """Connects to an engine at `sim:DIR`, `tcp:HOST:PORT` or `serial:PORT`.

    `folder` has the engine's NAME_engine.json, or is that file. A simulation has it in DIR; otherwise the engine is looked for by
    its hash in this folder and in generated/.
    """
    kind, _, at = where.partition(":")
    about = description(Path(folder or at)) if folder or kind == "sim" else None
    line = open_line(where, baud)
    try:
        # a simulation is built before it answers
        answer = _first_answer(line, max(timeout, BUILDING if kind == "sim" else 0.0))
        return Torus(line, about or described(answer[2]), answer, timeout)
    except BaseException:
        line.close()
        raise


def _first_answer(line: Line, timeout: float) -> Tuple[int, ...]:
    """Registers ID, VERSION, HASH and GEOMETRY of the engine that answers.

    Whoever used the line before may have stopped in the middle of a command or of an answer. Zeros end any command and begin none;
    then the engine is reset. ID, GEOMETRY and ID again are words that no single command asks for: all before them is of others.
    """
    reads = [0, 3, 0, 1, 2]
    line.write(bytes(LONGEST) + struct.pack(">BBII", 1, 1, CTRL, 2))
    line.write(b"".join(struct.pack(">BBI", 2, 1, word) for word in reads))
    got, wanted = b"", struct.pack(">I", ID)
    while True:
        last = got[-4 * len(reads) :]
        if len(last) == 4 * len(reads) and last[:4] == last[8:12] == wanted != last[4:8]:
            identity, geometry, _, version, design = struct.unpack(">5I", last)
            return identity, version, design, geometry
        byte = line.read(1, timeout)
        got += byte
        if not byte and got:
            raise TorusError(f"no engine answers: its ID is 0x{got[-4 * len(reads) :][:4].hex()}, not {ID:#010x}")
        if not byte:
            raise TorusError(f"nothing came within {timeout:g} s: 0 of {4 * len(reads)} bytes")
