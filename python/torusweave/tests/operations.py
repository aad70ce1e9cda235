"""Reductions by several operations on one connection, in random order: each equals numpy.

usage: operations.py WHERE CALLS
"""

import sys
from pathlib import Path

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave
from torusweave import TorusError


def main(where: str, calls: str) -> None:
    rng = np.random.default_rng(4)
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor, "and": np.bitwise_and}
    right = 0
    with torusweave.connect(where) as t:
        resident = [(one["collective"], one["operation"]) for one in t._about["programs"] if "operation" in one]
        for _ in range(int(calls)):
            collective, operation = resident[rng.integers(len(resident))]
            x = rng.integers(0, 1 << t.width, (t.nodes, t.nodes), dtype=np.dtype(f"u{t.width // 8}"))
            call = t.allreduce if collective == "all-reduce" else t.reduce_scatter
            wanted = combine[operation].reduce(x, axis=0, dtype=x.dtype)
            assert np.array_equal(call(x, operation=operation), wanted), (collective, operation)
            right += 1
        for wrong in (None, "or", "average"):
            try:
                t.allreduce(x, operation=wrong)
            except TorusError as error:
                print(error)
    print(f"{right} calls right")


if __name__ == "__main__":
    main(*sys.argv[1:])
