"""Collectives of groups, each compared with numpy, group by group, and what is refused.

Prints the programs that were right.

usage: groups.py WHERE DIR
"""

import json
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from beside import refused

import torusweave


def has_same_shapes(t: torusweave.Torus, folder: Path, program: Dict[str, Any], drawn: Callable[..., np.ndarray]) -> None:
    """Blocks of one word: an axis for it stands in a result if it stands in the arrays, as in calls of all nodes.

    Results are one array exactly if all groups have as many nodes.
    """
    form, nodes = program["groups"]["form"], program["groups"]["nodes"]
    sizes = [len(group) for group in nodes]
    collective, operation = program["collective"], program.get("operation")
    root = nodes[0].index(program["groups"]["roots"][0]) if "roots" in program["groups"] else 0
    combine = {"sum": np.add, "max": np.maximum}.get(operation or "", np.add)
    # by collective, with `size` nodes: shapes of an array, the call, and its result
    one, row = lambda size: (size,), lambda size: (size, size)
    calls: Dict[str, Tuple[Callable[[int], Tuple[int, ...]], Callable[[Any], Any], Callable[[np.ndarray, int], np.ndarray]]] = {
        "gossip": (one, lambda x: t.allgather(x, group=form), lambda x, _: x),
        "all-reduce": (
            one if "count" in program else row,
            lambda x: t.allreduce(x, group=form, operation=operation),
            lambda x, _: combine.reduce(x, axis=0, dtype=x.dtype),
        ),
        "reduce-scatter": (row, lambda x: t.reduce_scatter(x, group=form), lambda x, _: combine.reduce(x, axis=0, dtype=x.dtype)),
        "exchange": (row, lambda x: t.alltoall(x, group=form), lambda x, _: x.swapaxes(0, 1)),
        "broadcast": (lambda _: (), lambda x: t.broadcast(x, root=root, group=form), lambda x, size: np.stack([x] * size)),
        "scatter": (one, lambda x: t.scatter(x, root=root, group=form), lambda x, _: x),
        "gather": (one, lambda x: t.gather(x, root=root, group=form), lambda x, _: x),
        "reduce": (one, lambda x: t.reduce(x, root=root, group=form), lambda x, _: combine.reduce(x, axis=0, dtype=x.dtype)),
    }
    shape, call, wanted = calls[collective]
    for axis in ((), (1,)):
        x = [drawn(*shape(size), *axis) for size in sizes]
        got, right = call(x), [wanted(array, size) for array, size in zip(x, sizes)]
        assert isinstance(got, np.ndarray) == (len(set(sizes)) == 1), f"{collective}: {type(got)}"
        if operation is not None:
            same = torusweave.reference(folder / program["schedule"], x, count=program.get("count"))
            assert isinstance(same, np.ndarray) == isinstance(got, np.ndarray), f"reference of {collective}: {type(same)}"
            assert all(np.array_equal(one, other) for one, other in zip(same, right)), collective
        for came, want in zip(got, right):
            assert np.shape(came) == want.shape and np.array_equal(came, want), f"{collective}: {np.shape(came)}, not {want.shape}"
    mixed = [drawn(*shape(size), *(1,) * (number == 0)) for number, size in enumerate(sizes)]
    refused(lambda: call(mixed), f"are not supported: {collective} takes an array of")


def main(where: str, folder: str) -> None:
    (path,) = Path(folder).glob("*_programs.json")
    programs = json.loads(path.read_text())["programs"]
    chance = np.random.default_rng(7)
    right = 0
    with torusweave.connect(where, folder, timeout=20) as t:
        word = np.dtype(f"u{t.width // 8}")

        def drawn(*shape: int) -> np.ndarray:
            return chance.integers(0, 1 << t.width, shape, dtype=word)

        def are_equal(got: Any, wanted: List[np.ndarray]) -> bool:
            return len(got) == len(wanted) and all(
                one.dtype == other.dtype and np.array_equal(one, other) for one, other in zip(got, wanted)
            )

        for program in programs:
            collective, words = program["collective"], program["words"]
            if "groups" not in program:
                x = drawn(t.nodes, words)
                assert np.array_equal(t.allgather(x), x)
                right += 1
                continue
            form, nodes = program["groups"]["form"], program["groups"]["nodes"]
            sizes = [len(group) for group in nodes]
            roots = [group.index(root) for group, root in zip(nodes, program["groups"].get("roots", []))]
            if "offsets" in program:
                halo = [drawn(t.nodes, offset["words"]) for offset in program["offsets"]]
                came = t.halo(halo, group=form)
                group_of = {node: number for number, group in enumerate(nodes) for node in group}
                for node in range(t.nodes):
                    for offset, from_there in zip(program["offsets"], came):
                        there = offset["to"][node]
                        back = next(at for at, other in enumerate(program["offsets"]) if there is not None and other["to"][there] == node and other["hops"] == [-hop for hop in offset["hops"]]) if there is not None else 0
                        assert there is None or group_of[there] == group_of[node]
                        wanted = np.zeros(offset["words"], word) if there is None else halo[back][there]
                        assert np.array_equal(from_there[node], wanted), (node, offset)
                right += 1
                continue
            if "lengths" in program:
                lengths = np.array(program["lengths"])
                rows = [drawn(int(total)) for total in lengths.sum(1)]
                came = t.scatter(rows, group=form)
                for node, got in enumerate(came):
                    sender = next((other for other in range(t.nodes) if lengths[other, node]), node)
                    begun = int(lengths[sender, :node].sum())
                    assert np.array_equal(got, rows[sender][begun : begun + int(lengths[sender, node])])
                right += 1
                continue
            for _ in range(2):
                if collective == "all-reduce" and "count" in program:
                    x = [drawn(size, program["count"]) for size in sizes]
                    assert are_equal(t.allreduce(x, group=form), [one.sum(0, dtype=word) for one in x])
                elif collective in ("all-reduce", "reduce-scatter"):
                    x = [drawn(size, size, words) for size in sizes]
                    if collective == "all-reduce":
                        assert are_equal(t.allreduce(x, group=form, operation="sum"), [one.sum(0, dtype=word) for one in x])
                        every = t.allreduce(x, group=form, operation="sum", all_nodes=True)
                        assert are_equal(every, [np.tile(one.sum(0, dtype=word), (len(one), 1, 1)) for one in x])
                    else:
                        assert are_equal(t.reduce_scatter(x, group=form), [one.max(0) for one in x])
                elif collective == "gossip":
                    x = [drawn(size, words) for size in sizes]
                    assert are_equal(t.allgather(x, group=form), x)
                    assert are_equal(t.allgather_async(x, group=form).wait(), x)
                elif collective == "exchange":
                    x = [drawn(size, size, words) for size in sizes]
                    assert are_equal(t.alltoall(x, group=form), [one.swapaxes(0, 1) for one in x])
                elif collective == "broadcast":
                    x = [drawn(words) for _ in sizes]
                    assert are_equal(t.broadcast(x, root=roots[0], group=form), [np.tile(one, (size, 1)) for one, size in zip(x, sizes)])
                elif collective == "scatter":
                    x = [drawn(size, words) for size in sizes]
                    assert are_equal(t.scatter(x, root=roots[0], group=form), x)
                elif collective == "gather":
                    x = [drawn(size, words) for size in sizes]
                    assert are_equal(t.gather(x, root=roots[0], group=form), x)
                else:
                    x = [drawn(size, words) for size in sizes]
                    assert are_equal(t.reduce(x, root=roots[0], group=form), [one.sum(0, dtype=word) for one in x])
            if words == 1 and program.get("count", 1) == 1:
                has_same_shapes(t, path.parent, program, drawn)
            right += 1
        sizes = [len(group) for group in next(one for one in programs if one["collective"] == "gossip")["groups"]["nodes"]]
        x = [drawn(size, 1) for size in sizes]
        refused(lambda: t.allgather(x, group="x9"), "group: gossip is resident with group='x1', of all nodes, not with group='x9'")
        refused(lambda: t.allgather(x[:-1], group="x1"), "gossip takes an array of")
        refused(lambda: t.allgather(5, group="x1"), "x: groups have an array each")
        refused(lambda: t.broadcast(x, root=9, group="2x2"), "root: broadcast from or to member 9 of each group is not resident")
        refused(lambda: t.reduce(x), "group: reduce is resident with group='x2', not of all nodes")
        # the next call is right
        assert are_equal(t.allgather(x, group="x1"), x)
    print(f"{right} programs are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
