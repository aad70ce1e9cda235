"""Every collective of a design with every root it has, in random order, twice, against numpy.

Prints digests of the bytes sent and received: they are the same over every line. Boards wait for each other, and how long depends on
when each has got its command; so the digests leave out their register CYCLES, and nothing else.

usage: collectives.py WHERE [DIR [SECONDS]]
"""

import hashlib
import random
import struct
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave
import torusweave._torus as driver

Answer = Tuple[np.ndarray, np.ndarray]


class Recorded:
    """A line that notes what goes over it."""

    def __init__(self, line: Any) -> None:
        self.line = line
        self.is_lossy = line.is_lossy
        self.begin()

    def begin(self) -> None:
        self.sent, self.received = bytearray(), bytearray()

    def write(self, data: bytes, timeout: float) -> None:
        self.sent += data
        self.line.write(data, timeout)

    def read(self, most: int, timeout: float) -> bytes:
        data: bytes = self.line.read(most, timeout)
        self.received += data
        return data

    def forget(self) -> None:
        self.line.forget()

    def close(self) -> None:
        self.line.close()

    def digests(self, timed: Optional[int]) -> str:
        """Digests of the bytes sent and received, without the values of the register at the word `timed`."""
        kept = [value for word, value in self.answers() if word != timed]
        return " ".join(hashlib.sha256(data).hexdigest()[:16] for data in (self.sent, b"".join(kept)))

    def answers(self) -> List[Tuple[int, bytes]]:
        """Every word that was read, with its address, from the commands that were sent."""
        found: List[Tuple[int, bytes]] = []
        at = 0
        while at < len(self.sent):
            command, count, word = struct.unpack_from(">BBI", self.sent, at)
            at += 6
            if command in (1, 3):
                at += 4 * count
                continue
            for number in range(count):
                start = 4 * len(found)
                found.append((word if command == 4 else word + number, bytes(self.received[start : start + 4])))
        assert 4 * len(found) == len(self.received), (len(found), len(self.received))
        return found


open_lines = driver.open_lines
driver.open_lines = lambda *asked: [Recorded(line) for line in open_lines(*asked)]


def main(places: str, folder: str = "", seconds: str = "10") -> None:
    # lines of several boards stand one after the other, with commas
    where = places if "," not in places else places.split(",")
    rng = np.random.default_rng(3)
    with torusweave.connect(where, folder or None, timeout=float(seconds)) as t:
        lines: List[Any] = [board.line for board in t.boards]
        # the bytes of the greeting have a random number
        for line in lines:
            line.begin()
        nodes, dtype = t.nodes, np.dtype(f"u{t.width // 8}")
        dead = set(t._about["network"].get("dead", {}).get("nodes", []))
        sides = [1 + max(place[axis] for place in t.places) for axis in range(len(t.places[0]))]
        # an axis may have dead nodes alone in its last row: then the numbers of the others do not tell
        if len(dead) + nodes == np.prod(sides):
            numbers = [int(np.ravel_multi_index(place, sides)) for place in t.places]
            assert numbers == [number for number in range(nodes + len(dead)) if number not in dead]
        words = {program["collective"]: program["words"] for program in t._about["programs"]}
        operations = {program["collective"]: program.get("operation") for program in t._about["programs"]}
        kinds = {program["collective"]: program.get("values") for program in t._about["programs"]}
        top = 1 << t.width

        def data(collective: str, axes: int) -> np.ndarray:
            shape = (nodes,) * axes + ((words[collective],) if words[collective] > 1 or axes == 0 else ())
            return rng.integers(0, top, shape, dtype=dtype)

        def allgather(_: int) -> Answer:
            x = data("gossip", 1)
            return t.allgather(x), x

        def allgather_everywhere(_: int) -> Answer:
            x = data("gossip", 1)
            return t.allgather(x, all_nodes=True), np.stack([x] * nodes)

        schedules = {program["collective"]: program["schedule"] for program in t._about["programs"]}
        floats = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}

        def reduced(x: np.ndarray, collective: str, root: Optional[int] = None) -> np.ndarray:
            if kinds[collective] in floats:
                # every node has the bits that the program's order gives
                return torusweave.reference(Path(folder or places.partition(":")[2]) / schedules[collective], x, root=root)
            combine = {"sum": np.add, "max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor}
            combine.update({"and": np.bitwise_and, "or": np.bitwise_or})
            return combine[operations[collective]].reduce(x, axis=0, dtype=x.dtype)

        def values(collective: str, axes: int = 2) -> np.ndarray:
            x = data(collective, axes)
            if kinds[collective] in floats:
                # sums of values that cancel or overflow, subnormal ones, infinities and NaNs
                some = rng.random(x.shape) < 0.7
                high, fraction = {"f32": (0x7F, 23), "bf16": (0x7F, 7), "f16": (0x0F, 10)}[str(kinds[collective])]
                near = (x & (1 << t.width - 1 | (1 << fraction) - 1)) | (high << fraction)
                return np.where(some, near, x).astype(x.dtype).view(floats[kinds[collective]])
            return x.view(f"i{t.width // 8}") if kinds[collective] == "i32" else x

        def allreduce(_: int) -> Answer:
            x = values("all-reduce")
            if kinds["all-reduce"] in floats:
                # refused if any two nodes differ in a bit
                return t.allreduce(x, all_nodes=True)[0], reduced(x, "all-reduce")
            return t.allreduce(x), reduced(x, "all-reduce")

        def reduce_scatter(_: int) -> Answer:
            x = values("reduce-scatter")
            return t.reduce_scatter(x), reduced(x, "reduce-scatter")

        def alltoall(_: int) -> Answer:
            x = data("exchange", 2)
            return t.alltoall(x), x.swapaxes(0, 1)

        def broadcast(root: int) -> Answer:
            x = data("broadcast", 0)
            return t.broadcast(x, root=root), np.stack([x] * nodes)

        def scatter(root: int) -> Answer:
            x = data("scatter", 1)
            return t.scatter(x, root=root), x

        def gather(root: int) -> Answer:
            x = data("gather", 1)
            return t.gather(x, root=root), x

        roots = {program["collective"]: program.get("root") for program in t._about["programs"]}

        def reduce(root: int) -> Answer:
            x = values("reduce", 1)
            return t.reduce(x, root=root), reduced(x, "reduce", root if roots["reduce"] == "any" else None)

        everywhere: Dict[str, Tuple[str, Callable[[int], Answer]]] = {
            "allgather": ("gossip", allgather),
            "allgather everywhere": ("gossip", allgather_everywhere),
            "allreduce": ("all-reduce", allreduce),
            "reduce_scatter": ("reduce-scatter", reduce_scatter),
            "alltoall": ("exchange", alltoall),
        }
        rooted = {"broadcast": broadcast, "scatter": scatter, "gather": gather, "reduce": reduce}
        calls = [(name, call, 0) for name, (collective, call) in everywhere.items() if collective in words]
        for program in t._about["programs"]:
            if program["collective"] in rooted:
                name, root = program["collective"], program["root"]
                calls += [(name, rooted[name], root) for root in (range(nodes) if root == "any" else [root])]
        calls *= 2
        random.Random(4).shuffle(calls)
        for name, call, root in calls:
            got, wanted = call(root)
            assert got.dtype == wanted.dtype and got.tobytes() == wanted.tobytes(), f"{name} root {root}: {got} != {wanted}"
        # docs/python.md has names in capitals
        assert t.regs.runs == t.regs.RUNS == len(calls), (t.regs.runs, len(calls))
        if kinds.get("all-reduce") in floats:
            signed = values("all-reduce").view(f"i{t.width // 8}")
            try:
                raise AssertionError(f"integers are combined as floats: {t.allreduce(signed)}")
            except torusweave.TorusError as error:
                assert "this design's" in str(error), error
        timed = t.boards[0].word["CYCLES"] if len(lines) > 1 else None
        digests = " ".join(line.digests(timed) for line in lines)
        print(f"{len(calls)} calls on {nodes} nodes right: bytes {digests}")


main(*sys.argv[1:])
