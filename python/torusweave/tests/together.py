"""Collectives that are played at once, each compared with numpy, and what is refused.

Prints the calls that were right.

usage: together.py WHERE DIR
"""

import json
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from beside import refused

import torusweave


def main(where: str, folder: str) -> None:
    (path,) = Path(folder).glob("*_programs.json")
    about = json.loads(path.read_text())
    chance = np.random.default_rng(11)
    right = 0
    with torusweave.connect(where, folder, timeout=20) as t:
        word = np.dtype(f"u{t.width // 8}")

        def drawn(*shape: int) -> np.ndarray:
            return chance.integers(0, 1 << t.width, shape, dtype=word)

        def call_of(program: Dict[str, Any], all_nodes: bool) -> Tuple[Callable[[torusweave.Torus], Any], List[np.ndarray]]:
            """A call of a program, and what it has to bring back."""
            collective, words, root = program["collective"], program["words"], program.get("root", 0)
            if "groups" in program:
                form, sizes = program["groups"]["form"], [len(group) for group in program["groups"]["nodes"]]
                if collective == "all-reduce":
                    x = [drawn(size, size, words) for size in sizes]
                    return lambda part: part.allreduce(x, group=form), [one.sum(0, dtype=word) for one in x]
                if collective == "gossip":
                    y = [drawn(size, words) for size in sizes]
                    return lambda part: part.allgather(y, group=form), y
                z = [drawn(size, size, words) for size in sizes]
                return lambda part: part.alltoall(z, group=form), [one.swapaxes(0, 1) for one in z]
            if collective == "all-reduce":
                rows = drawn(t.nodes, t.nodes, words)
                total = rows.sum(0, dtype=word)
                wanted = np.tile(total, (t.nodes, 1, 1)) if all_nodes else total
                return lambda part: part.allreduce(rows, all_nodes=all_nodes), list(wanted)
            if collective == "broadcast":
                message = drawn(words)
                return lambda part: part.broadcast(message, root=root), [message] * t.nodes
            if collective == "gather":
                blocks = drawn(t.nodes, words)
                return lambda part: part.gather(blocks, root=root), list(blocks)
            if collective == "reduce":
                values = drawn(t.nodes, words)
                return lambda part: part.reduce(values, root=root), list(values.sum(0, dtype=word))
            if "lengths" in program:
                (lengths,) = program["lengths"]
                row = drawn(sum(lengths))
                return lambda part: part.scatter(row, root=root), np.split(row, np.cumsum(lengths)[:-1])
            own = drawn(t.nodes, words)
            return lambda part: part.scatter(own, root=root), list(own)

        for together in about["together"]:
            numbers = [part["program"] for part in together["programs"]]
            for again in range(2):
                # in the order of the config, or in any
                order = numbers if again == 0 else numbers[::-1]
                calls, wanted = zip(*(call_of(about["programs"][number], again == 1) for number in order))
                pending = t.together_async(*calls)
                results = t.together(*calls) if again == 0 else pending.wait()
                assert len(results) == len(order)
                for number, got, want in zip(order, results, wanted):
                    assert len(got) == len(want), number
                    for one, other in zip(got, want):
                        assert one.dtype == word and np.array_equal(one, other), number
            # alone they are right as well
            alone, want = call_of(about["programs"][numbers[0]], False)
            assert all(np.array_equal(one, other) for one, other in zip(alone(t), want))
            right += 1
        x, y = drawn(t.nodes, t.nodes, 1), drawn(3)
        refused(lambda: t.together(lambda part: part.allreduce(x)), "together: takes two calls or more")
        refused(lambda: t.together(lambda part: part.allreduce(x), lambda part: part.allreduce(x)), "together: programs 2 and 2 are not played at once")
        refused(lambda: t.together(lambda part: part.allreduce(x), lambda part: None), "has to call a collective of the torus")
        refused(lambda: t.together(lambda part: part.allreduce(x), lambda part: part.broadcast(x, root=5)), "is not supported: broadcast takes (3,)")
        one_each = "together: each call has to call one collective, and to wait for its result"
        refused(lambda: t.together(lambda part: (part.allreduce(x), part.allreduce(x)), lambda part: part.broadcast(y, root=5)), one_each)
        refused(lambda: t.together(lambda part: part.allreduce_async(x).wait(), lambda part: part.broadcast(y, root=5)), one_each)
        # functions are called once, in their order; after all that nobody waits
        seen: List[str] = []

        def sum_of(part: torusweave.Torus) -> np.ndarray:
            seen.append("begins")
            total = part.allreduce(x)
            seen.append("ends")
            return total

        both = t.together_async(sum_of, lambda part: part.broadcast(y, root=5))
        assert seen[0] == "begins"
        kept, x = x, drawn(t.nodes, t.nodes, 1)
        total, _ = both.wait()
        assert seen == ["begins", "ends"] and np.array_equal(total, kept.sum(0, dtype=word))
        for thread in threading.enumerate():
            if thread.name == "torusweave part":
                thread.join(5)
                assert not thread.is_alive(), "a call waits for ever"
        sums, message = t.together(lambda part: part.allreduce(x), lambda part: part.broadcast(y, root=5))
        assert np.array_equal(sums, x.sum(0, dtype=word)) and np.array_equal(message[7], y)
    print(f"{right} calls at once are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
