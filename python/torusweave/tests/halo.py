"""Halos of a design, compared word by word with the neighbours that coordinates tell, and what is refused.

Prints the number of calls that were right.

usage: halo.py WHERE SIDES KIND
"""

import itertools
import json
import sys
from pathlib import Path
from typing import Any, List, Tuple

import numpy as np

from beside import refused

import torusweave

Place = Tuple[int, ...]


def order(axes: int, reach: int, corners: bool) -> List[Place]:
    """Neighbours of a halo in the order that the documentation tells."""
    straight = [
        tuple(sign * hops if axis == at else 0 for axis in range(axes)) for hops in range(1, reach + 1) for at in range(axes) for sign in (-1, 1)
    ]
    box = itertools.product(range(-reach, reach + 1), repeat=axes)
    return straight + [hops for hops in box if corners and sum(hop != 0 for hop in hops) > 1]


def main(where: str, sides: str, kind: str) -> None:
    ends = [int(side) for side in sides.split("x")]
    (path,) = Path(where.partition(":")[2]).glob("*_programs.json")
    about = json.loads(path.read_text())
    chance = np.random.default_rng(5)
    right = 0
    with torusweave.connect(where) as t:
        word = np.dtype(f"u{t.width // 8}")
        nodes = {place: node for node, place in enumerate(t.places)}

        def drawn(*shape: int) -> np.ndarray:
            return chance.integers(0, 1 << t.width, shape, dtype=word)

        def neighbour(place: Place, hops: Place) -> Any:
            there = tuple(at + hop for at, hop in zip(place, hops))
            if kind == "hexagonal":
                # a hop along x1 goes back along both other axes
                there = (0, there[1] - there[0], there[2] - there[0])
            if kind != "mesh":
                there = tuple(at % side for at, side in zip(there, ends))
            return nodes.get(there)

        for program, config in zip(about["programs"], about["config"]["programs"]):
            if "offsets" not in program:
                continue
            offsets = [tuple(offset["hops"]) for offset in program["offsets"]]
            if config["collective"] == "halo":
                assert offsets == order(len(ends), config.get("reach", 1), config.get("corners", False)), offsets
            words = [offset["words"] for offset in program["offsets"]]
            x = [drawn(t.nodes, one) for one in words]
            if any(tuple(-hop for hop in hops) not in offsets for hops in offsets):
                one_way = len(about["programs"]) == 1
                refused(lambda: t.halo(x), "not resident" if one_way else "are not supported: halo takes [")
                continue
            for _ in range(2):
                got = t.halo(x)
                assert len(got) == len(offsets)
                for hops, came in zip(offsets, got):
                    sent = x[offsets.index(tuple(-hop for hop in hops))]
                    assert came.shape == sent.shape and came.dtype == word
                    for place, node in nodes.items():
                        there = neighbour(place, hops)
                        wanted = np.zeros_like(sent[0]) if there is None else sent[there]
                        assert np.array_equal(came[node], wanted), (program["number"], hops, node)
                right += 1
            refused(lambda: t.halo(x[1:]), "are not supported: halo takes [")
            refused(lambda: t.halo([row[1:] for row in x]), "are not supported: halo takes [")
            refused(lambda: t.halo(5), "a halo is a list with an array for each neighbour")
            others = [x[0].astype(word.newbyteorder(">"))] + x[1:]
            if t.width > 8:
                refused(lambda: t.halo(others), "several types")
                # in another order of bytes, whose result has it too
                swapped = t.halo([row.astype(word.newbyteorder(">")) for row in x])
                assert all(one.dtype == word.newbyteorder(">") and np.array_equal(one, two) for one, two in zip(swapped, got))
        exchanges = [program for program in about["programs"] if program["collective"] == "exchange"]
        if any("lengths" not in program and "offsets" not in program for program in exchanges):
            x = drawn(t.nodes, t.nodes)
            assert np.array_equal(t.alltoall(x), x.T)
            right += 1
    print(f"{right} right")


main(*sys.argv[1:])
