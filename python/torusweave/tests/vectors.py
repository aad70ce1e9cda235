"""Vectors of a design whose all-reduces have a `count`: of 1, 30 and 5 words, the last by `max`.

usage: vectors.py PLACE
"""

import sys
from pathlib import Path

import numpy as np

# the package beside this script, wherever another one is installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave  # noqa: E402
from torusweave import TorusError  # noqa: E402


def main(place: str) -> None:
    rng = np.random.default_rng(4)
    with torusweave.connect(place) as t:

        def vectors(words: int) -> np.ndarray:
            return rng.integers(0, 1 << 20, (t.nodes, words), dtype=np.uint32)

        for words, operation, combine in ((1, "sum", np.add), (30, "sum", np.add), (5, "max", np.maximum)):
            x = vectors(words)
            right = combine.reduce(x, axis=0, dtype=x.dtype)
            assert np.array_equal(t.allreduce(x, operation=operation), right), words
            everywhere = t.allreduce(x, all_nodes=True, operation=operation)
            assert everywhere.shape == x.shape and (everywhere == right).all(), words
            schedule = next(program["schedule"] for program in t._about["programs"] if program.get("count") == words)
            path = Path(place.partition(":")[2]) / schedule
            assert np.array_equal(torusweave.reference(path, x, count=words), right), words
        one = vectors(1)[:, 0]
        assert t.allreduce(one, operation="sum") == one.sum(dtype=np.uint32)
        # a message of one word, with an axis for it and without
        for program in t._about["programs"]:
            if program["collective"] == "broadcast":
                for message in (vectors(1)[0], vectors(1)[0, 0]):
                    got = t.broadcast(message, root=program["root"])
                    assert got.shape == (t.nodes, *message.shape) and (got == message).all(), got
        for shape in ((t.nodes, 4), (t.nodes - 1, 5), (t.nodes, 5, 1)):
            try:
                t.allreduce(np.zeros(shape, np.uint32), operation="sum")
            except TorusError as error:
                assert f"all-reduce takes ({t.nodes}, 1) or ({t.nodes}, 30)" in str(error), error
            else:
                raise AssertionError(f"{shape} is accepted")
    print("vectors of 1, 30 and 5 words are right")


main(*sys.argv[1:])
