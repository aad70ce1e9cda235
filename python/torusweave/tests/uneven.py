"""Calls of an exchange, scatters and gathers whose blocks have different lengths, and what is refused.

Prints the calls that were right.

usage: uneven.py WHERE DIR
"""

import json
import sys
from pathlib import Path
from typing import List

import numpy as np

from beside import refused

import torusweave


def main(where: str, folder: str) -> None:
    (path,) = Path(folder).glob("*_programs.json")
    programs = json.loads(path.read_text())["programs"]
    chance = np.random.default_rng(3)
    right = 0
    with torusweave.connect(where, folder, timeout=20) as t:
        word = np.dtype(f"u{t.width // 8}")
        nodes = range(t.nodes)

        def drawn(lengths: List[int]) -> List[np.ndarray]:
            return [chance.integers(0, 1 << t.width, words, dtype=word) for words in lengths]

        def equal(got: List[np.ndarray], wanted: List[np.ndarray]) -> bool:
            return len(got) == len(wanted) and all(
                one.dtype == other.dtype and np.array_equal(one, other) for one, other in zip(got, wanted)
            )

        for _ in range(3):
            for program in programs:
                lengths, root = program["lengths"], program.get("root", 0)
                assert program["words"] == max(max(row) for row in lengths)
                if program["collective"] == "exchange":
                    blocks = [drawn(row) for row in lengths]
                    got = t.alltoall([np.concatenate(row) for row in blocks])
                    assert equal(got, [np.concatenate([blocks[i][j] for i in nodes]) for j in nodes]), got
                elif program["collective"] == "scatter":
                    own = drawn(lengths[0])
                    assert equal(t.scatter(np.concatenate(own), root=root), own)
                else:
                    own = drawn(lengths[0])
                    # in another order of bytes, whose result has it too
                    swapped = [one.astype(word.newbyteorder(">")) for one in own]
                    result = t.gather(swapped, root=root)
                    assert result.dtype == word.newbyteorder(">") and np.array_equal(result, np.concatenate(own))
                right += 1
        for program in programs:
            lengths, root = program["lengths"], program.get("root", 0)
            rows = [np.zeros(sum(row), word) for row in lengths]
            if program["collective"] == "exchange":
                refused(lambda: t.alltoall(rows[:-1]), f"an array for each of {t.nodes} nodes")
                refused(lambda: t.alltoall(5), f"an array for each of {t.nodes} nodes")
                refused(lambda: t.alltoall(np.uint8(5)), f"an array for each of {t.nodes} nodes")
                refused(lambda: t.alltoall([[[1], [2, 3]]] * t.nodes), "")
                refused(lambda: t.alltoall([np.append(rows[0], rows[0][:1]), *rows[1:]]), "x[0]", f"({len(rows[0])},)")
                sender = max(nodes, key=lambda node: len(rows[node]))
                others = [row.astype(word.newbyteorder(">")) if node == sender else row for node, row in enumerate(rows)]
                if t.width > 8 and sum(len(row) > 0 for row in rows) > 1:
                    refused(lambda: t.alltoall(others), "several types")
            elif program["collective"] == "scatter":
                refused(lambda: t.scatter(rows[0][1:], root=root), f"({len(rows[0])},) in all")
                refused(lambda: t.scatter(rows[0], root=(root + 1) % t.nodes), "not resident")
            else:
                refused(lambda: t.gather(rows, root=root), f"an array for each of {t.nodes} nodes")
    print(f"{right} right")


if __name__ == "__main__":
    main(*sys.argv[1:])
