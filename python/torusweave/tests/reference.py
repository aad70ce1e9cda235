"""Sums of files of bits in the order of a program, against what somebody else says they are.

usage: reference.py PROGRAM.json VALUES WANTED

Each line of VALUES has the hexadecimal bits of all nodes' values for one run, and the same line of WANTED what they become.
"""

import json
import sys
from pathlib import Path

import numpy as np

# the package beside this script, wherever another one is installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave  # noqa: E402


def read(path: str) -> np.ndarray:
    lines = Path(path).read_text().splitlines()
    return np.array([[int(word, 16) for word in line.split()] for line in lines], dtype=np.uint64)


def main(program: str, values: str, wanted: str) -> None:
    about = json.loads(Path(program).read_text())
    word = np.dtype("u2" if about["number"] in ("bf16", "f16") else "u4")
    x, right = read(values).astype(word), read(wanted).astype(word)
    nodes = len(about["class_of"])
    # runs are independent: along the last axis
    got = torusweave.reference(about, np.moveaxis(x.reshape(len(x), nodes, -1), 0, -1))
    if about["number"] == "f32":
        floats = torusweave.reference(program, x[0].view(np.float32).reshape(nodes, -1))
        assert floats.dtype == np.float32 and np.array_equal(floats.view(word), got[:, 0])
    different = int((got.T != right).sum())
    assert different == 0, f"{different} of {right.size} results differ"
    print(f"{right.size} results of {len(x)} runs right")


main(*sys.argv[1:])
