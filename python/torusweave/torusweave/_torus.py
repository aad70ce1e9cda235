"""A design: its collectives, on one device or on several boards."""

from __future__ import annotations

import copy
import functools
import math
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np

from ._about import description, described, geometry_of
from ._board import Board, Calls, Identity, identities
from ._errors import TorusError
from ._groups import Groups
from ._halo import Halo, is_mutual
from ._lines import open_lines
from ._pending import Pending, Worker
from ._together import Part, give_up, joined, most, result_of, together_of

TYPES = {8: 1, 16: 2, 32: 4}
# numpy's names of the values of a reduction; floats may come as their bits, too
FLOATS = {"f32": ("float32", "uint32"), "bf16": ("bfloat16", "uint16"), "f16": ("float16", "uint16")}
# the operations of the ring
END, SCATTER, WRITE, COLLECT, READ, COPY = range(6)
# bits of the status after a run without an error: done, and nothing else
DONE, SETTLED = 2, 0xFF0017
# code of a neighbour that has stopped for a fault elsewhere
STOPPED = 5
# seconds that the simulator of a large design takes to build
BUILDING = 3600.0

T = TypeVar("T")


class Torus:
    """A design behind a line, or behind one for each of its boards. Blocks are in the order of the nodes.

    Calls of several threads are done one after the other.
    """

    def __init__(self, calls: Calls, about: Dict[str, Any]) -> None:
        self._calls = calls
        self._about = about
        self.boards: List[Board] = calls.boards
        self.nodes: int = about["nodes"]
        # coordinates by node
        self.places: List[Tuple[int, ...]] = [tuple(int(at) for at in place.split(",")) for place in about["places"]]
        self.width: int = about["width"]
        self.regs = self.boards[0].regs
        self._halos: Dict[int, Halo] = {}
        self._worker = Worker()
        # plays the run of a call
        self._play: Callable[..., np.ndarray] = self._played_alone
        self._errors = {code["number"]: code["about"] for code in about["codes"]}

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(program["collective"] for program in self._about["programs"]))
        return f"<torusweave {self._about['name']}: {self.nodes} nodes with words of {self.width} bits, {names}>"

    def __enter__(self) -> "Torus":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes all lines; a simulation ends."""
        self._calls.close()

    @property
    def sent(self) -> int:
        """Bytes of calls sent over all lines."""
        return sum(board.sent for board in self.boards)

    @property
    def received(self) -> int:
        """Bytes of answers received over all lines."""
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
        """Brings the design back from any error."""
        self._calls.run(self._reset)

    def _reset(self) -> None:
        for board in self.boards:
            board.reset()

    # collectives

    def allgather(self, x: Any, all_nodes: bool = False, group: Optional[str] = None) -> np.ndarray:
        """Every node's block: `x` has a block per node. With `all_nodes` what each node has, compared.

        With `group`, here and in all collectives, every group of nodes has it for itself: it names the form of the groups as the config
        does, as in `group="x2"`. `x` then has an axis of groups before all others, whose nodes it counts by itself; where groups
        have different numbers of nodes, `x` and the result are lists.
        """
        if group is not None:
            return self._in_groups("gossip", group, x, all_nodes=all_nodes)
        program = self._program("gossip")
        given = self._blocks(x, program, 1)
        return self._everywhere(program, given, given.shape, all_nodes)

    def allreduce(self, x: Any, all_nodes: bool = False, operation: Optional[str] = None, group: Optional[str] = None) -> np.ndarray:
        """Combination of all nodes' values: `x` has a row of blocks per node, or of a program with `count` a row of so many words.
        Where programs differ in it, `operation` names one; where they differ in the words of a row, `x` does.
        """
        if group is not None:
            return self._in_groups("all-reduce", group, x, operation=operation, all_nodes=all_nodes)
        programs = self._combining("all-reduce", operation)
        counted = [program for program in programs if "count" in program]
        if counted:
            given = self._given(x)
            fitting = [program for program in counted if given.shape in self._rows_of(program)]
            if fitting:
                return self._counted(given, fitting[0], all_nodes)
            if len(counted) == len(programs):
                shown = " or ".join(str((self.nodes, program["count"])) for program in counted)
                raise TorusError(f"shape {given.shape} is not supported: all-reduce takes {shown}")
        program = next(program for program in programs if "count" not in program)
        given = self._blocks(x, program, 2)
        self._combined(given.values, program)
        return self._everywhere(program, given, given.shape[1:], all_nodes)

    def reduce_scatter(self, x: Any, operation: Optional[str] = None, group: Optional[str] = None) -> np.ndarray:
        """One block of the combination per node: `x` has a row of blocks per node. `operation` as in `allreduce`."""
        if group is not None:
            return self._in_groups("reduce-scatter", group, x, operation=operation)
        program = self._combining("reduce-scatter", operation)[0]
        given = self._blocks(x, program, 2)
        self._combined(given.values, program)
        return given.result(self._run(program, given, ("each", program["words"])), given.shape[1:])

    def reduce(self, x: Any, root: int = 0, operation: Optional[str] = None, group: Optional[str] = None) -> np.ndarray:
        """Combination of all nodes' values at the root: `x` has a row per node. `operation` as in `allreduce`.

        With `group`, here and in all collectives of a root, `root` counts the nodes of a group.
        """
        if group is not None:
            return self._in_groups("reduce", group, x, root=root, operation=operation)
        program = self._rooted("reduce", root, self._combining("reduce", operation))
        given = self._blocks(x, program, 1)
        self._combined(given.values, program)
        return given.result(self._run(program, given, ("root", program["words"]), int(root)), given.shape[1:])

    def alltoall(self, x: Any, group: Optional[str] = None) -> Any:
        """Block `x[i, j]` goes from node i to node j: the result is `x` with its first two axes exchanged.

        Where blocks have `lengths`, `x` has an array per node, its blocks one after the other, and so has the result, also in groups.
        """
        if group is not None:
            return self._in_groups("exchange", group, x)
        programs = self._programs("exchange")
        program = next((one for one in programs if "offsets" not in one), programs[0])
        if "lengths" in program:
            lengths = np.array(program["lengths"])
            return self._uneven(program, self._rows(x, lengths.sum(1)), lengths.sum(0).tolist())
        given = self._blocks(x, program, 2)
        return given.result(self._run(program, given, ("each", self.nodes * program["words"])), given.shape)

    def halo(self, x: Any, group: Optional[str] = None) -> List[np.ndarray]:
        """Blocks from all neighbours: `x` has an array for each neighbour, with a row per node, and so has the result.

        Neighbours stand in the order of the program's `offsets`: of a halo along one axis at a time, down and up, nearest first; then
        the diagonal ones. `x[k]` goes to neighbour k, and the result's entry k is what came from neighbour k: zeros where a border or
        a dead node has none. An array may have any shape whose rows have the words of the program. With `group` neighbours are those of
        a node's group, and rows are those of all nodes.
        """
        halos = self._with_offsets(group)
        rows = self._all_given(x, "a halo is a list with an array for each neighbour")
        halo = next((halo for halo in halos if halo.takes([row.shape for row in rows])), None)
        if halo is None:
            shown = " or ".join(one.shown() for one in halos)
            raise TorusError(f"shapes {[row.shape for row in rows]} are not supported: halo takes {shown}")
        given = Given(halo.given([row.values for row in rows]), rows[0].dtype, halo.lengths)
        came = halo.taken(self._run(halo.program, given, ("each", halo.most)))
        return [given.result(words, rows[back].shape) for words, back in zip(came, halo.back)]

    def _with_offsets(self, group: Optional[str]) -> List[Halo]:
        """The exchanges whose blocks go as far from every node."""
        programs = [one for one in self._programs("exchange", group) if is_mutual(one)]
        if not programs:
            raise TorusError("halo is not resident: no exchange has `offsets` that lead forth and back; `alltoall` takes blocks of any")
        for program in programs:
            if program["number"] not in self._halos:
                self._halos[program["number"]] = Halo(program, self.nodes)
        return [self._halos[program["number"]] for program in programs]

    def broadcast(self, x: Any, root: int = 0, group: Optional[str] = None) -> np.ndarray:
        """The root's message at every node: a row per node."""
        if group is not None:
            return self._in_groups("broadcast", group, x, root=root)
        program = self._rooted("broadcast", root)
        given = self._given(x)
        words = program["words"]
        if given.shape != (words,) and not (words == 1 and given.shape == ()):
            raise TorusError(f"shape {given.shape} is not supported: broadcast takes ({words},)")
        return given.result(self._run(program, given, ("each", words), int(root), [int(root)]), (self.nodes, *given.shape))

    def scatter(self, x: Any, root: int = 0, group: Optional[str] = None) -> Any:
        """One of the root's blocks per node; where they have `lengths`, `x` has them one after the other, the result a list."""
        if group is not None:
            return self._in_groups("scatter", group, x, root=root)
        program = self._rooted("scatter", root)
        if "lengths" in program:
            (lengths,) = program["lengths"]
            return self._uneven(program, self._row(x, sum(lengths)), lengths, int(root), [int(root)])
        given = self._blocks(x, program, 1)
        return given.result(self._run(program, given, ("each", program["words"]), int(root), [int(root)]), given.shape)

    def gather(self, x: Any, root: int = 0, group: Optional[str] = None) -> np.ndarray:
        """Every node's block, as the root has them: where blocks have `lengths`, `x` is a list, the result one after the other."""
        if group is not None:
            return self._in_groups("gather", group, x, root=root)
        program = self._rooted("gather", root)
        if "lengths" in program:
            (lengths,) = program["lengths"]
            given = self._rows(x, lengths)
            return given.result(self._run(program, given, ("root", sum(lengths)), int(root)), (sum(lengths),))
        given = self._blocks(x, program, 1)
        return given.result(self._run(program, given, ("root", self.nodes * program["words"]), int(root)), given.shape)

    def together(self, *calls: Callable[["Torus"], Any]) -> List[Any]:
        """Results of collectives that are played at once: programs that the config lists in `together`.

        Each call is a function of a torus that calls one collective of it, as in
        `t.together(lambda t: t.allreduce(x, group="x2"), lambda t: t.allgather(y, group="x1"))`. They are begun one after the other.
        """
        return self._asked(calls)()

    def _asked(self, calls: Sequence[Callable[["Torus"], Any]]) -> Callable[[], List[Any]]:
        """Begins calls at once; what is returned plays them, and ends them with their results."""
        if len(calls) < 2:
            raise TorusError("together: takes two calls or more")
        parts: List[Part] = []
        try:
            for call in calls:
                torus = copy.copy(self)
                parts.append(Part(functools.partial(call, torus)))
                torus._play = parts[-1].play
            runs = [part.asked() for part in parts]
            found, places = together_of(self._about, runs)
            each = joined(found, runs, places, self.nodes)
        except BaseException:
            give_up(parts)
            raise

        def play() -> List[Any]:
            try:
                got = self._played_alone(found, each, ("each", most(found, self.nodes)), 0, None)
                return [part.result(result_of(found, run, place, got)) for part, run, place in zip(parts, runs, places)]
            finally:
                give_up(parts)

        return play

    # calls that do not block

    def allgather_async(self, x: Any, all_nodes: bool = False, group: Optional[str] = None) -> Pending[np.ndarray]:
        """Begins an `allgather`: `wait()` gives its result. `x` may be changed at once; what is wrong with it is told by `wait`."""
        return self._begin(self.allgather, x, all_nodes, group)

    def allreduce_async(self, x: Any, all_nodes: bool = False, operation: Optional[str] = None, group: Optional[str] = None) -> Pending[np.ndarray]:
        """Begins an `allreduce`, as `allgather_async` does."""
        return self._begin(self.allreduce, x, all_nodes, operation, group)

    def reduce_scatter_async(self, x: Any, operation: Optional[str] = None, group: Optional[str] = None) -> Pending[np.ndarray]:
        """Begins a `reduce_scatter`, as `allgather_async` does."""
        return self._begin(self.reduce_scatter, x, operation, group)

    def reduce_async(self, x: Any, root: int = 0, operation: Optional[str] = None, group: Optional[str] = None) -> Pending[np.ndarray]:
        """Begins a `reduce`, as `allgather_async` does."""
        return self._begin(self.reduce, x, root, operation, group)

    def alltoall_async(self, x: Any, group: Optional[str] = None) -> Pending[Any]:
        """Begins an `alltoall`, as `allgather_async` does."""
        return self._begin(self.alltoall, x, group)

    def halo_async(self, x: Any, group: Optional[str] = None) -> Pending[List[np.ndarray]]:
        """Begins a `halo`, as `allgather_async` does."""
        return self._begin(self.halo, x, group)

    def broadcast_async(self, x: Any, root: int = 0, group: Optional[str] = None) -> Pending[np.ndarray]:
        """Begins a `broadcast`, as `allgather_async` does."""
        return self._begin(self.broadcast, x, root, group)

    def scatter_async(self, x: Any, root: int = 0, group: Optional[str] = None) -> Pending[Any]:
        """Begins a `scatter`, as `allgather_async` does."""
        return self._begin(self.scatter, x, root, group)

    def gather_async(self, x: Any, root: int = 0, group: Optional[str] = None) -> Pending[np.ndarray]:
        """Begins a `gather`, as `allgather_async` does."""
        return self._begin(self.gather, x, root, group)

    def together_async(self, *calls: Callable[["Torus"], Any]) -> Pending[List[Any]]:
        """Begins calls at once, as `together` does: `wait()` gives their results. What is wrong with their words is told at once."""
        return self._worker.begin(self._asked(calls))

    def _begin(self, call: Callable[..., T], x: Any, *others: Any) -> Pending[T]:
        try:
            own = copy.deepcopy(x)
        # copies of objects raise errors of any kind
        except Exception as error:
            raise TorusError(f"x: cannot be copied: {error}") from error
        return self._worker.begin(lambda: call(own, *others))

    def _programs(self, collective: str, group: Optional[str] = None) -> List[Dict[str, Any]]:
        """The programs of a collective of all nodes, or of groups of this form."""
        every: List[Dict[str, Any]] = [one for one in self._about["programs"] if one["collective"] == collective]
        if not every:
            names = sorted({one["collective"] for one in self._about["programs"]})
            raise TorusError(f"{collective} is not resident: there are {', '.join(names)}")
        programs = [one for one in every if one.get("groups", {}).get("form") == group]
        if not programs:
            forms = dict.fromkeys(one.get("groups", {}).get("form") for one in every)
            shown = ", ".join("of all nodes" if form is None else f"with group={form!r}" for form in forms)
            raise TorusError(f"group: {collective} is resident {shown}, not {'of all nodes' if group is None else f'with group={group!r}'}")
        return programs

    def _in_groups(
        self, collective: str, group: str, x: Any, root: Optional[int] = None, operation: Optional[str] = None, all_nodes: bool = False
    ) -> Any:
        """A collective of each group, of the array of each."""
        programs = self._programs(collective, group)
        if "operation" in programs[0]:
            programs = self._combining(collective, operation, group)
        program = next((one for one in programs if "offsets" not in one), programs[0])
        if "lengths" in program:
            lengths = np.array(program["lengths"])
            return self._uneven(program, self._rows(x, lengths.sum(1)), lengths.sum(0).tolist(), program.get("root", 0))
        groups = [one for one in map(Groups, programs) if one.has_root(root)]
        if not groups:
            roots = " or ".join(str(Groups(one).root_numbers()) for one in programs)
            raise TorusError(f"root: {collective} from or to member {root} of each group is not resident ({roots})")
        given = self._all_given(x, "groups have an array each")
        fitting = next((one for one in groups if one.takes([one.shape for one in given])), None)
        if fitting is None:
            shown = " or ".join(one.shown() for one in groups)
            raise TorusError(f"shapes {[one.shape for one in given]} are not supported: {collective} takes {shown}")
        program = fitting.program
        if "operation" in program:
            for one in given:
                self._combined(one.values, program)
        rows = fitting.rows([one.values for one in given], self.nodes)
        whole = Given(np.concatenate(rows), given[0].dtype, [len(row) for row in rows])
        got = self._run(program, whole, ("each", fitting.most()), program.get("root", 0)).reshape(self.nodes, -1)
        return fitting.results(got, len(given[0].shape), all_nodes, whole.result)

    def _program(self, collective: str) -> Dict[str, Any]:
        return self._programs(collective)[0]

    def _combining(self, collective: str, operation: Optional[str], group: Optional[str] = None) -> List[Dict[str, Any]]:
        """The programs that combine by an operation, or by the only one."""
        programs = self._programs(collective, group)
        operations = sorted({program["operation"] for program in programs})
        if operation is None and len(operations) > 1:
            raise TorusError(f"operation: {collective} is resident for {', '.join(operations)}: name one")
        programs = [program for program in programs if operation in (None, program["operation"])]
        if programs:
            return programs
        raise TorusError(f"operation: {collective} by {operation!r} is not resident ({', '.join(operations)})")

    def _rooted(self, collective: str, root: Any, programs: Optional[List[Dict[str, Any]]] = None) -> Dict[str, Any]:
        """The program of a root: one of these, or of all of the collective."""
        programs = programs or self._programs(collective)
        if isinstance(root, bool) or not isinstance(root, (int, np.integer)) or not 0 <= root < self.nodes:
            raise TorusError(f"root: {root!r} is no node from 0 to {self.nodes - 1}")
        for program in programs:
            if program["root"] in ("any", int(root)):
                return program
        roots = ", ".join(str(program["root"]) for program in programs)
        raise TorusError(f"root: {collective} from or to node {root} is not resident ({roots})")

    def _all_given(self, x: Any, wanted: str) -> List["Given"]:
        """The arrays of a list, of one type."""
        try:
            given = [self._given(one) for one in x]
        except TypeError as error:
            raise TorusError(f"x: {wanted} ({error})") from error
        if len({one.dtype for one in given}) > 1:
            raise TorusError("x: arrays of several types are not supported in one call")
        return given

    def _given(self, x: Any) -> "Given":
        if self.width not in TYPES:
            raise TorusError(f"words of {self.width} bits have no numpy type")
        if isinstance(x, np.ma.MaskedArray):
            raise TorusError("masked arrays are not supported: fill in what is masked, as `x.filled(0)` does")
        try:
            x = np.asarray(x)
        # conversions of objects raise errors of any kind
        except Exception as error:
            raise TorusError(f"x: is no array: {error}") from error
        dtype = x.dtype
        if TYPES[self.width] != dtype.itemsize or dtype.kind not in "iuf" and dtype.name != "bfloat16":
            raise TorusError(f"{dtype} is not supported: the design has words of {self.width} bits")
        # the bytes of a word in the order of this machine
        native = x if dtype.isnative else x.astype(dtype.newbyteorder("="))
        # a copy: whoever has the array may change it during the call
        return Given(np.array(native, order="C", subok=False), dtype)

    @staticmethod
    def _combined(x: np.ndarray, program: Dict[str, Any]) -> None:
        """Refuses values that the design would combine as others: it adds words, and compares them with or without a sign."""
        operation, signed = program["operation"], program["values"] == "i32"
        floats = FLOATS.get(program["values"])
        if floats:
            if x.dtype.name not in floats:
                raise TorusError(f"{x.dtype} is not supported: this design's {operation} is of {' or '.join(floats)}")
            return
        kinds = {"max": "i" if signed else "u", "min": "i" if signed else "u"}.get(operation, "iu")
        if x.dtype.kind not in kinds:
            wanted = {"i": "integers with a sign", "u": "integers without a sign", "iu": "integers"}[kinds]
            raise TorusError(f"{x.dtype} is not supported: this design's {operation} is of {wanted}")

    def _blocks(self, x: Any, program: Dict[str, Any], axes: int) -> "Given":
        """An array of a block per node, or of a row of them."""
        given = self._given(x)
        words = program["words"]
        wanted = (self.nodes,) * axes
        if given.shape != wanted + (words,) and not (words == 1 and given.shape == wanted):
            shown = wanted if words == 1 else wanted + (words,)
            raise TorusError(f"shape {given.shape} is not supported: {program['collective']} takes {shown}")
        return given

    def _rows_of(self, program: Dict[str, Any]) -> List[Tuple[int, ...]]:
        """Shapes of a row of `count` words per node."""
        return [(self.nodes, program["count"])] + ([(self.nodes,)] if program["count"] == 1 else [])

    def _counted(self, given: "Given", program: Dict[str, Any], all_nodes: bool) -> np.ndarray:
        """Combination of rows of `count` words: the schedule takes more words of a node, which are padding."""
        count, padded = program["count"], program["padded"]
        self._combined(given.values, program)
        rows = np.zeros((self.nodes, padded), given.values.dtype)
        rows[:, :count] = given.values.reshape(self.nodes, count)
        got = self._everywhere(program, Given(rows, given.dtype), (padded,), all_nodes)
        return got[..., :count].reshape(given.shape if all_nodes else given.shape[1:])

    def _row(self, x: Any, words: int) -> "Given":
        """An array of so many words."""
        given = self._given(x)
        if given.shape != (words,):
            raise TorusError(f"shape {given.shape} is not supported: blocks with lengths are ({words},) in all")
        return given

    def _rows(self, x: Any, lengths: Sequence[int]) -> "Given":
        """An array for each node, with as many words as it has for others, all of one type."""
        try:
            rows = list(x)
        except TypeError:
            rows = []
        if len(rows) != self.nodes:
            raise TorusError(f"x: blocks with lengths are an array for each of {self.nodes} nodes")
        given = []
        for node, (row, words) in enumerate(zip(rows, lengths)):
            # an array without words may be of any type
            if not words and hasattr(row, "__len__") and not len(row):
                continue
            one = self._given(row)
            if one.shape != (words,):
                raise TorusError(f"x[{node}]: shape {one.shape} is not supported: node {node} sends ({words},)")
            given.append(one)
        if len({one.dtype for one in given}) > 1:
            raise TorusError("x: arrays of several types are not supported in one call")
        return Given(np.concatenate([one.values for one in given]), given[0].dtype, [int(words) for words in lengths])

    def _uneven(
        self, program: Dict[str, Any], given: "Given", counts: Sequence[int], root: int = 0, writers: Optional[List[int]] = None
    ) -> List[np.ndarray]:
        """Runs a program after which every node has another number of words: an array for each."""
        most = max(counts)
        rows = self._run(program, given, ("each", most), root, writers).reshape(self.nodes, most)
        return [given.result(row[:count], (count,)) for row, count in zip(rows, counts)]

    def _everywhere(self, program: Dict[str, Any], given: "Given", shape: Tuple[int, ...], all_nodes: bool) -> np.ndarray:
        words = program.get("padded", self.nodes * program["words"])
        got = self._run(program, given, ("each" if all_nodes else "root", words))
        if not all_nodes:
            return given.result(got, shape)
        rows = got.reshape(self.nodes, -1)
        differing = [node for node in range(self.nodes) if rows[node].tobytes() != rows[0].tobytes()]
        if differing:
            raise TorusError(f"node {differing[0]} has another result than node 0")
        return given.result(got, (self.nodes, *shape))

    def _run(
        self,
        program: Dict[str, Any],
        given: "Given",
        take: Tuple[str, int],
        root: int = 0,
        writers: Optional[List[int]] = None,
    ) -> np.ndarray:
        """Chooses the program, gives every node its words, or some of them, runs it, and takes the result."""
        unsigned = np.dtype(f"u{TYPES[self.width]}")
        values = given.values.reshape(-1).view(unsigned).astype(np.uint32)
        each = [values] * self.nodes if writers is not None else given.by_node(values, self.nodes)
        return self._play(program, each, take, root, writers).reshape(-1).astype(unsigned)

    def _played_alone(
        self, program: Dict[str, Any], each: List[np.ndarray], take: Tuple[str, int], root: int, writers: Optional[List[int]]
    ) -> np.ndarray:
        got, failure = self._calls.run(lambda: self._played(program, each, take, root, writers))
        if failure:
            raise failure
        return got

    def _played(
        self, program: Dict[str, Any], each: List[np.ndarray], take: Tuple[str, int], root: int, writers: Optional[List[int]]
    ) -> Tuple[np.ndarray, Optional[TorusError]]:
        """The words of a run, or the error that the design reports."""
        kind, count = take
        for board in self.boards:
            if board.runs is None:
                ((board.runs,),) = board.ask([(board.word["RUNS"], 1, False)])
        for board in self.boards:
            self._start(board, program, each, root, writers)
            if kind == "each":
                header = COLLECT << 28 | count
            elif root in board.nodes:
                header = READ << 28 | board.nodes.index(root) << 16 | count
            else:
                # no word, once the run is over
                header = COLLECT << 28
            board.note(board.word["HEAD"], [header])
            board.note(board.word["HEAD"], [END])
        # every board must have begun before one is waited for
        for board in self.boards:
            board.send()
        got = np.zeros((self.nodes if kind == "each" else 1, count), np.uint32)
        failed: List[Tuple[int, int]] = []
        for number, board in enumerate(self.boards):
            takes = kind == "each" or root in board.nodes
            total = count * len(board.nodes) if kind == "each" else count if takes else 0
            # STATUS, PROGRAM, ROOT, CYCLES and RUNS stand in a row
            asked = [(board.word["DATA"], total, True), (board.word["STATUS"], 5, False)]
            data, (status, played, rooted, _, runs) = board.ask(asked)
            if status >> 2 & 1:
                failed.append((number, status >> 16 & 255))
                continue
            assert board.runs is not None
            board.runs = board.runs + 1 & 0xFFFFFFFF
            if (status & SETTLED, played, rooted, runs) != (DONE, program["number"], root, board.runs):
                raise TorusError(
                    f"another run answers: status {status:#x}, program {played}, root {rooted}, run {runs}; expected program "
                    f"{program['number']}, root {root}, run {board.runs}; does somebody else use the design?"
                )
            if takes:
                rows = board.nodes if kind == "each" else [0]
                for node, row in zip(rows, np.array(data, np.uint32).reshape(len(rows), count)):
                    # words of dead nodes are nothing
                    if node is not None:
                        got[node] = row
        return got, self._failure(failed) if failed else None

    def _start(
        self, board: Board, program: Dict[str, Any], each: List[np.ndarray], root: int, writers: Optional[List[int]]
    ) -> None:
        """Chooses the program on a board, gives its nodes their words, and starts it."""
        head, data = board.word["HEAD"], board.word["DATA"]
        board.note(board.word["PROGRAM"], [program["number"], root])
        live = [node for node in board.nodes if node is not None]
        are_alike = len({len(words) for words in each}) == 1
        if writers is None and are_alike and len(live) == len(board.nodes):
            packets = [(SCATTER << 28 | len(each[0]), np.concatenate([each[node] for node in live]))]
        else:
            # a dead node takes no word
            own = [node for node in live if (writers is None or node in writers) and len(each[node])]
            packets = [(WRITE << 28 | board.nodes.index(node) << 16, each[node]) for node in own]
        for header, words in packets:
            board.note(head, [header])
            board.note(data, words.tolist(), fixed=True)
            board.note(head, [END])
        board.note(board.word["CTRL"], [1])

    def _failure(self, failed: Sequence[Tuple[int, int]]) -> TorusError:
        """Resets the design, and says what the first error was."""
        told = [self._fault(number) for number in range(len(self.boards))]
        number, code = failed[0]
        board = self.boards[number]
        misframed = board.ask([(board.word["MISFRAMED"], 1, False)])[0][0]
        where = f", first at node {board.nodes[misframed]}" if misframed < len(board.nodes) else ""
        # a neighbour that has stopped is not where it began
        faults = [fault for fault in told if fault]
        causes = [fault for fault in faults if not fault.stopped] or faults
        at = "".join(f"; {fault.about}" for fault in causes)
        on = f" on board {self._places()[number]}" if len(self.boards) > 1 else ""
        self._reset()
        return TorusError(f"error {code}{on}: {self._errors.get(code, 'unknown')}{where}{at}; the design was reset")

    def _places(self) -> List[str]:
        return [board["place"] for board in self._about["boards"]["each"]]

    def _port(self, number: int) -> str:
        ports = self._about["boards"]["ports"]
        return str(ports[number]) if number < len(ports) else str(number)

    def _fault(self, number: int) -> Optional["Fault"]:
        """Fault that the links of a board have met."""
        board = self.boards[number]
        if "LINKS" not in board.word:
            return None
        links = board.ask([(board.word["LINKS"], 1, False)])[0][0]
        code, port = links & 15, links >> 8 & 255
        boards = self._about["boards"]
        place = f"board {self._places()[number]}"
        if code:
            about = {fault["number"]: fault["about"] for fault in boards["faults"]}.get(code, f"fault {code}")
            return Fault(f"{place}, port {self._port(port)}: {about}", code == STOPPED)
        down = [name for bit, name in enumerate(boards["ports"][:16]) if not links >> (16 + bit) & 1 and name not in boards["ends"][number]]
        return Fault(f"{place}: no link at {', '.join(down)}", False) if down else None


class Given:
    """An array that came into a call, as words of this machine, with the type that its result must have."""

    def __init__(self, values: np.ndarray, dtype: np.dtype, lengths: Optional[List[int]] = None) -> None:
        self.values, self.dtype = values, dtype
        # words of each node, if they differ
        self.lengths = lengths
        self.shape: Tuple[int, ...] = values.shape

    def by_node(self, words: np.ndarray, nodes: int) -> List[np.ndarray]:
        """Words of each node."""
        if self.lengths is None:
            return list(words.reshape(nodes, -1))
        return np.split(words, np.cumsum(self.lengths)[:-1])

    def result(self, words: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
        """Words that came back, as an array of that type."""
        return words.reshape(shape).view(self.values.dtype).astype(self.dtype, copy=False)


class Fault:
    """Fault that a board tells of its links."""

    def __init__(self, about: str, stopped: bool) -> None:
        self.about = about
        self.stopped = stopped


def connect(
    where: Union[str, Sequence[str]],
    folder: Optional[str] = None,
    baud: int = 115200,
    timeout: float = 60.0,
    trust: bool = False,
) -> Torus:
    """Connects to a design at `sim:DIR`, `tcp:HOST:PORT` or `serial:PORT`; to one on several boards at a list of these, or
    at `sim:DIR`, which simulates them all.

    `folder` has the design's NAME_programs.json, or is that file. A simulation has it in DIR; otherwise the design is looked for by
    its hash in this folder and in generated/. A call fails when nothing goes on for `timeout` seconds, and so does this function; a
    simulation is built first. `trust` simulates Verilog that was edited to call programs or to read files.
    """
    try:
        places = [where] if isinstance(where, str) else list(where)
    except TypeError:
        places = []
    if not places or not all(isinstance(place, str) for place in places):
        raise TorusError(f"where: no line is named (is {where!r}): use sim:DIR, tcp:HOST:PORT or serial:PORT, or a list with one for each board")
    if not isinstance(timeout, (int, float)) or not math.isfinite(timeout) or timeout <= 0:
        raise TorusError(f"timeout: must be a number of seconds above 0 (is {timeout!r})")
    if isinstance(baud, bool) or not isinstance(baud, int) or baud <= 0:
        raise TorusError(f"baud: must be a number of bits per second (is {baud!r})")
    kind, _, at = places[0].partition(":")
    try:
        about = description(Path(folder or at)) if folder or kind == "sim" else None
    except TypeError as error:
        raise TorusError(f"folder: must be a path (is {folder!r})") from error
    count = len(about["boards"]["each"]) if about and "boards" in about else 1
    lines = open_lines(places, baud, count if kind == "sim" else 1, timeout, trust)
    try:
        # a simulation is built before it answers
        answers = identities(lines, timeout, BUILDING if kind == "sim" else 0.0)
        about = about or described(answers[0].design, answers[0].geometry)
        same_design(about, answers)
        calls = Calls()
        if "boards" in about:
            found = [Board(calls, line, about, [], timeout, identity) for line, identity in zip(lines, answers)]
            calls.boards = _in_order(found, about)
        elif len(lines) > 1:
            raise TorusError(f"a design on one device has one line: {len(lines)} are named")
        else:
            calls.boards = [Board(calls, lines[0], about, range(about["nodes"]), timeout, answers[0])]
        return Torus(calls, about)
    except BaseException:
        for line in lines:
            line.close()
        raise


def _in_order(boards: Sequence[Board], about: Dict[str, Any]) -> List[Board]:
    """Boards in the order of the description, by what each says where it is, with their nodes."""
    each = about["boards"]["each"]
    found: Dict[int, Board] = {}
    for board in boards:
        ((code,),) = board.ask([(board.word["BOARD"], 1, False)])
        place = next((number for number, described in enumerate(each) if described["code"] == code), None)
        if place is None:
            raise TorusError(f"a board says that it is at {code:#x}, where this design has none")
        if place in found:
            raise TorusError(f"two lines lead to board {each[place]['place']}")
        board.nodes = list(each[place]["nodes"])
        found[place] = board
    missing = [described["place"] for number, described in enumerate(each) if number not in found]
    if missing:
        raise TorusError(f"no line leads to board {', '.join(missing)}: name one for each, in any order")
    return [found[number] for number in range(len(each))]


def same_design(about: Dict[str, Any], answers: Sequence[Identity]) -> None:
    """Refuses an answer of a design that is not the described one."""
    for answer in answers:
        if answer.design != about["hash"]:
            raise TorusError(f"another design answers: hash {answer.design:08x}, not {about['hash']:08x}")
        if answer.geometry != geometry_of(about):
            raise TorusError(f"another design answers: geometry {answer.geometry:08x}, not {geometry_of(about):08x}")
