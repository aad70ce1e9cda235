"""Every collective of an engine with every root, in random order, twice, against numpy.

usage: collectives.py WHERE [DIR]
"""

import random
import sys
from typing import Callable, Dict, Tuple

import numpy as np

import torusweave

Answer = Tuple[np.ndarray, np.ndarray]


def main(where: str, folder: str = "") -> None:
    rng = np.random.default_rng(3)
    with torusweave.connect(where, folder or None, timeout=10.0) as t:
        nodes, dtype = t.nodes, np.dtype(f"u{t.width // 8}")
        words = {program["collective"]: program["words"] for program in t._about["programs"]}
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

        def allreduce(_: int) -> Answer:
            x = data("all-reduce", 2)
            return t.allreduce(x), x.sum(0, dtype=dtype)

        def reduce_scatter(_: int) -> Answer:
            x = data("reduce-scatter", 2)
            return t.reduce_scatter(x), x.sum(0, dtype=dtype)

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

        everywhere: Dict[str, Tuple[str, Callable[[int], Answer]]] = {
            "allgather": ("gossip", allgather),
            "allgather everywhere": ("gossip", allgather_everywhere),
            "allreduce": ("all-reduce", allreduce),
            "reduce_scatter": ("reduce-scatter", reduce_scatter),
            "alltoall": ("exchange", alltoall),
        }
        rooted = {"broadcast": broadcast, "scatter": scatter, "gather": gather}
        calls = [(name, call, 0) for name, (collective, call) in everywhere.items() if collective in words]
        calls += [(name, call, root) for name, call in rooted.items() if name in words for root in range(nodes)]
        calls *= 2
        random.Random(4).shuffle(calls)
        for name, call, root in calls:
            got, wanted = call(root)
            assert got.dtype == wanted.dtype and np.array_equal(got, wanted), f"{name} root {root}: {got} != {wanted}"
        assert t.regs.runs == len(calls), (t.regs.runs, len(calls))
        print(f"{len(calls)} calls on {nodes} nodes right")


main(*sys.argv[1:])
