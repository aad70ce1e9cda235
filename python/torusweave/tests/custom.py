"""A design whose combiner was replaced by a - 3 * b: results are those of the program's order, and of no other.

usage: custom.py WHERE DIR
"""

import sys
from pathlib import Path

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave


def combine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a - 3 * b


def main(where: str, folder: str) -> None:
    with torusweave.connect(where) as t:
        x = np.random.default_rng(5).integers(0, 1 << 32, (t.nodes, t.nodes), dtype=np.uint32)
        schedule = Path(folder) / "programs/0_all-reduce.json"
        wanted = torusweave.reference(schedule, x, combine)
        got = t.allreduce(x, all_nodes=True)
        assert np.array_equal(got, np.stack([wanted] * t.nodes)), (got[0], wanted)
        assert not np.array_equal(wanted, torusweave.reference(schedule, x)), "the sum is no other"
        print(f"{t.nodes} nodes combine in order")


main(*sys.argv[1:])
