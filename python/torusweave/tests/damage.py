"""Reductions by programs with one number or word changed: refused, or every value is combined once, as in the whole program.

usage: damage.py CHANGES PROGRAM.json...
"""

import copy
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any, List

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave
from torusweave import ProgramError


def leaves(part: Any, place: List[Any]) -> List[List[Any]]:
    keys = part.keys() if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
    inner = [leaf for key in keys for leaf in leaves(part[key], [*place, key])]
    return inner if inner else [place]


def main(changes: str, *paths: str) -> None:
    chance = random.Random(8)
    seen: Counter = Counter()
    for path in paths:
        program = json.loads(Path(path).read_text())
        nodes = len(program["class_of"])
        number, operation = program.get("number"), program["operation"]
        word = np.dtype({"f32": "f4", "f16": "f2", "bf16": "u2", "i32": "i4"}.get(number, "u4"))
        x = np.random.default_rng(2).integers(0, 100, (nodes, nodes * program["packets"] * program["flits"])).astype(word)
        whole = torusweave.reference(program, x)
        if number is None:
            combine = {"sum": np.add, "max": np.maximum, "xor": np.bitwise_xor}[operation]
            assert np.array_equal(whole, combine.reduce(x, axis=0, dtype=word))
            # the other order of bytes, and no mask
            other = torusweave.reference(program, x.astype(">u4"))
            assert other.dtype == np.dtype(">u4") and np.array_equal(other, whole)
            try:
                raise AssertionError(torusweave.reference(program, np.ma.masked_equal(x, 3)))
            except ProgramError as error:
                assert "masked" in str(error)
        for name, values in (("operation", ["average", None, 3]), ("number", ["f64", 5, []]), ("flush", ["yes", 1])):
            for value in values:
                try:
                    torusweave.reference({**program, name: value}, x)
                except ProgramError as error:
                    assert str(error)
                else:
                    raise AssertionError(f"{name}: {value!r} passes")
        # fields that say what is combined, and how: another one is another program
        meaning = {"name", "scheme", "operation", "number", "flush", "format", "duplex"}
        places = [place for place in leaves(program, []) if place[0] not in meaning]
        for _ in range(int(changes) // len(paths)):
            damaged = copy.deepcopy(program)
            place = chance.choice(places)
            inner = damaged
            for key in place[:-1]:
                inner = inner[key]
            old = inner[place[-1]]
            others = [None, -1, 0, 1, 2, "x", [], {}, True, 1.5]
            others += [old + 1, old - 1, old * 2] if isinstance(old, int) and not isinstance(old, bool) else []
            others += ["x1-", "x1+", "x2-", "x2+"] if isinstance(old, str) else []
            if chance.random() < 0.2:
                del inner[place[-1]]
            else:
                inner[place[-1]] = chance.choice(others)
            try:
                got = torusweave.reference(damaged, x)
            except ProgramError as error:
                assert str(error)
                seen["refused"] += 1
            else:
                # floats may be added in another order: sums of small integers are exact
                assert np.array_equal(got, whole), f"{place}: {old!r} -> {inner}: another result without a word"
                seen["the same"] += 1
    print(f"{seen['refused']} refused, {seen['the same']} with the same result")


main(*sys.argv[1:])
