"""Calls of a design on several boards while a link fails: each call is right, or an error names the board, the port and the fault.

After an error the design has been reset. Prints the calls that were right, and the faults with their numbers; without faults also what
is met where boards play different programs.

usage: boards.py WHERE CALLS
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave


def main(where: str, calls: str) -> None:
    rng = np.random.default_rng(5)
    right = 0
    faults: Counter = Counter()
    with torusweave.connect(where, timeout=20) as t:
        assert len(t.boards) > 1 and sorted(node for board in t.boards for node in board.nodes) == list(range(t.nodes))
        for _ in range(int(calls)):
            words = t._about["programs"][0]["words"]
            shape = (t.nodes, words) if words > 1 else t.nodes
            x = rng.integers(0, 1 << t.width, shape, dtype=np.dtype(f"u{t.width // 8}"))
            try:
                rows = t.allgather(x, all_nodes=True)
            except torusweave.TorusError as error:
                faults[str(error)] += 1
                continue
            assert np.array_equal(rows, np.stack([x] * t.nodes)), rows
            right += 1
        strayed = "" if faults else strays(t)
    print(f"{right} right")
    if strayed:
        print(f"another program: {strayed}")
    for fault, number in sorted(faults.items()):
        print(f"{number}: {fault}")


def strays(t: torusweave.Torus) -> str:
    """Starts another program on the first board than on all others, and says what the last board met."""
    for board in t.boards:
        number = 1 if board is t.boards[0] else 0
        board.write(board.word["PROGRAM"], [number, 0])
        program = t._about["programs"][number]
        words = program["words"] * (t.nodes if program["collective"] == "exchange" else 1)
        board.write(board.word["HEAD"], [1 << 28 | words])
        board.write(board.word["DATA"], [0] * (words * len(board.nodes)), fixed=True)
        board.write(board.word["HEAD"], [0])
        board.write(board.word["CTRL"], [1])
    for board in t.boards:
        board.flush()
    # both runs end, for one board tells the others
    for board in t.boards:
        while board.regs.status & 1:
            pass
        assert board.regs.status >> 2 & 1, "no error"
    fault = t._calls.run(lambda: t._fault(len(t.boards) - 1) or t._fault(0))
    assert fault is not None
    t.reset()
    return fault.about


main(*sys.argv[1:])
