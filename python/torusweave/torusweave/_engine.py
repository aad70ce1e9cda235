"""An engine: its registers, its ring, its collectives."""

from __future__ import annotations

import struct
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._board import MOST_WORDS, Board, Registers
from ._lines import Line, TorusError, described, description, open_lines

ID = 0x54574345
TYPES = {8: 1, 16: 2, 32: 4}
# numpy's names of the values of a reduction; floats may come as their bits, too
FLOATS = {"f32": ("float32", "uint32"), "bf16": ("bfloat16", "uint16"), "f16": ("float16", "uint16")}
# the operations of the ring
END, SCATTER, WRITE, COLLECT, READ, COPY = range(6)
# code of a neighbour that has stopped for a fault elsewhere
STOPPED = 5
# bytes of the longest command
LONGEST = 6 + 4 * MOST_WORDS
# address of the register CTRL, in words: the same in every version
CTRL = 4
# seconds that the simulator of a large engine takes to build
BUILDING = 3600.0


class Torus:
    """An engine behind a line, or behind one for each of its boards. Blocks are in the order of the nodes."""

    def __init__(self, boards: Sequence[Board], about: Dict[str, Any]) -> None:
        self._about = about
        self.boards: List[Board] = list(boards)
        self.nodes: int = about["nodes"]
        self.width: int = about["width"]
        self.regs = self.boards[0].regs
        self._errors = {code["number"]: code["about"] for code in about["codes"]}

    def __enter__(self) -> "Torus":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes all lines; a simulation ends."""
        for board in self.boards:
            board.close()

    @property
    def sent(self) -> int:
        """Bytes sent over all lines."""
        return sum(board.sent for board in self.boards)

    @property
    def received(self) -> int:
        """Bytes received over all lines."""
        return sum(board.received for board in self.boards)

    # registers of the first board

    def write(self, word: int, values: Sequence[int], fixed: bool = False) -> None:
        """Notes a write of the first board's registers from a word address on, or all to one; `flush` and `read` send it."""
        self.boards[0].write(word, values, fixed)

    def read(self, word: int, count: int = 1, fixed: bool = False) -> List[int]:
        """Reads registers of the first board from a word address on, or one again and again."""
        return self.boards[0].read(word, count, fixed)

    def flush(self) -> None:
        """Sends what was written."""
        self.boards[0].flush()

    def reset(self) -> None:
        """Brings the engine back from any error."""
        for board in self.boards:
            board.reset()

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
        values = x.reshape(-1).view(unsigned).astype(np.uint32)
        kind, count = take
        for board in self.boards:
            self._start(board, program, values, root, writers)
            if kind == "each":
                header = COLLECT << 28 | count
            elif root in board.nodes:
                header = READ << 28 | board.nodes.index(root) << 16 | count
            else:
                # no word, once the run is over
                header = COLLECT << 28
            board.write(board.word["HEAD"], [header])
            board.write(board.word["HEAD"], [END])
        # every board must have begun before one is waited for
        for board in self.boards:
            board.flush()
        got = np.zeros((self.nodes if kind == "each" else 1, count), np.uint32)
        failed: List[Tuple[int, int]] = []
        for number, board in enumerate(self.boards):
            takes = kind == "each" or root in board.nodes
            total = count * len(board.nodes) if kind == "each" else count if takes else 0
            data, (status,) = board.ask([(board.word["DATA"], total, True), (board.word["STATUS"], 1, False)])
            if status >> 2 & 1:
                failed.append((number, status >> 16 & 255))
            elif takes:
                rows = board.nodes if kind == "each" else [0]
                got[rows] = np.array(data, np.uint32).reshape(len(rows), count)
        if failed:
            raise self._failure(failed)
        return got.reshape(-1).astype(unsigned)

    def _start(
        self, board: Board, program: Dict[str, Any], values: np.ndarray, root: int, writers: Optional[List[int]]
    ) -> None:
        """Chooses the program on a board, gives its nodes their words, and starts it."""
        head, data = board.word["HEAD"], board.word["DATA"]
        board.write(board.word["PROGRAM"], [program["number"], root])
        if writers is None:
            each = values.reshape(self.nodes, -1)
            packets = [(SCATTER << 28 | each.shape[1], each[board.nodes].reshape(-1))]
        else:
            own = [node for node in writers if node in board.nodes]
            packets = [(WRITE << 28 | board.nodes.index(node) << 16, values) for node in own]
        for header, words in packets:
            board.write(head, [header])
            board.write(data, words.tolist(), fixed=True)
            board.write(head, [END])
        board.write(board.word["CTRL"], [1])

    def _failure(self, failed: Sequence[Tuple[int, int]]) -> TorusError:
        """Resets the engine, and says what the first error was."""
        told = [self._fault(number) for number in range(len(self.boards))]
        number, code = failed[0]
        board = self.boards[number]
        misframed = board.read(board.word["MISFRAMED"])[0]
        where = "" if misframed == 0xFFFFFFFF else f", first at node {board.nodes[misframed]}"
        # a neighbour that has stopped is not where it began
        faults = [fault for fault in told if fault]
        causes = [fault for fault in faults if not fault.stopped] or faults
        at = "".join(f"; {fault.about}" for fault in causes)
        on = f" on board {self._places()[number]}" if len(self.boards) > 1 else ""
        self.reset()
        return TorusError(f"error {code}{on}: {self._errors.get(code, 'unknown')}{where}{at}; the engine was reset")

    def _places(self) -> List[str]:
        return [board["place"] for board in self._about["boards"]["each"]]

    def _fault(self, number: int) -> Optional["Fault"]:
        """Fault that the links of a board have met."""
        board = self.boards[number]
        if "LINKS" not in board.word:
            return None
        links = board.read(board.word["LINKS"])[0]
        code, port = links & 15, links >> 8 & 255
        boards = self._about["boards"]
        place = f"board {self._places()[number]}"
        if code:
            about = {fault["number"]: fault["about"] for fault in boards["faults"]}.get(code, f"fault {code}")
            return Fault(f"{place}, port {boards['ports'][port]}: {about}", code == STOPPED)
        down = [name for bit, name in enumerate(boards["ports"][:16]) if not links >> (16 + bit) & 1 and name not in boards["ends"][number]]
        return Fault(f"{place}: no link at {', '.join(down)}", False) if down else None


class Fault:
    """Fault that a board tells of its links."""

    def __init__(self, about: str, stopped: bool) -> None:
        self.about = about
        self.stopped = stopped


def connect(
    where: Union[str, Sequence[str]], folder: Optional[str] = None, baud: int = 115200, timeout: float = 60.0
) -> Torus:
    """Connects to an engine at `sim:DIR`, `tcp:HOST:PORT` or `serial:PORT`; to one on several boards at a list of these, or
    at `sim:DIR`, which simulates them all.

    `folder` has the engine's NAME_engine.json, or is that file. A simulation has it in DIR; otherwise the engine is looked for by
    its hash in this folder and in generated/.
    """
    places = [where] if isinstance(where, str) else list(where)
    if not places:
        raise TorusError("no line is named: use sim:DIR, tcp:HOST:PORT or serial:PORT")
    kind, _, at = places[0].partition(":")
    about = description(Path(folder or at)) if folder or kind == "sim" else None
    count = len(about["boards"]["each"]) if about and "boards" in about else 1
    lines = open_lines(places, baud, count if kind == "sim" else 1)
    try:
        # a simulation is built before it answers
        waits = max(timeout, BUILDING if kind == "sim" else 0.0)
        answers = [_first_answer(line, waits) for line in lines]
        about = about or described(answers[0][2])
        same_design(about, answers)
        if "boards" not in about:
            if len(lines) > 1:
                raise TorusError(f"an engine on one device has one line: {len(lines)} are named")
            return Torus([Board(lines[0], about, range(about["nodes"]), timeout)], about)
        return Torus(_in_order([Board(line, about, [], timeout) for line in lines], about), about)
    except BaseException:
        for line in lines:
            line.close()
        raise


def _in_order(boards: Sequence[Board], about: Dict[str, Any]) -> List[Board]:
    """Boards in the order of the description, by what each says where it is, with their nodes."""
    each = about["boards"]["each"]
    found: Dict[int, Board] = {}
    for board in boards:
        code = board.read(board.word["BOARD"])[0]
        place = next((number for number, described in enumerate(each) if described["code"] == code), None)
        if place is None:
            raise TorusError(f"a board says that it is at {code:#x}, where this engine has none")
        if place in found:
            raise TorusError(f"two lines lead to board {each[place]['place']}")
        board.nodes = list(each[place]["nodes"])
        found[place] = board
    missing = [described["place"] for number, described in enumerate(each) if number not in found]
    if missing:
        raise TorusError(f"no line leads to board {', '.join(missing)}: name one for each, in any order")
    return [found[number] for number in range(len(each))]


def same_design(about: Dict[str, Any], answers: Sequence[Tuple[int, ...]]) -> None:
    """Refuses an answer of an engine that is not the described one."""
    for answer in answers:
        if answer[2] != about["hash"]:
            raise TorusError(f"another design answers: hash {answer[2]:08x}, not {about['hash']:08x}")


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
