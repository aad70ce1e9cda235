"""Writes docs/tables/sums.md: the error of sums of floats on an 8x8 torus, scheme by scheme, beside the bound.

    python3 sim/sums.py torusweave > docs/tables/sums.md

The first argument is the program. With a scheme and a number after it, only their row is printed. `check` says how many roundings a value passes at most, `reduce` adds; the exact sums are this script's own. The
values are the same in every run.
"""

import json
import math
import random
import struct
import subprocess
import sys

NETWORK = "--torus 8x8 --collective all-reduce --operation sum --adder 1 --flits 4".split()
SCHEMES = ["staircase", "hamiltonian", "zigzag", "optimal", "general"]
# bits of a number, of its fraction, and of the half of its last place
FORMATS = {"f32": (32, 23, 24), "bf16": (16, 7, 8), "f16": (16, 10, 11)}
NODES = 64


def run(*arguments, given=None):
    """Runs the program and returns what it prints as JSON."""
    done = subprocess.run([*arguments, "--format", "json"], input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def value(number, bits):
    """Returns a float of a format as one of Python's."""
    if number == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    return struct.unpack("<f", struct.pack("<I", bits << (32 - FORMATS[number][0])))[0]


def drawn(number, chance):
    """Draws the bits of a value between 1/2 and 1 of either sign."""
    width, fraction, _ = FORMATS[number]
    exponent = 14 if number == "f16" else 126
    return chance.getrandbits(1) << (width - 1) | exponent << fraction | chance.getrandbits(fraction)


def row(program, number, scheme):
    """Measures a scheme; returns a row of the table."""
    width, _, unit = FORMATS[number]
    config = [*NETWORK, "--number", number, "--scheme", scheme]
    checked = run(program, "check", *config)
    depth = checked["floats"]["roundings"]
    each = NODES * checked["packets"] * checked["flits"]
    chance = random.Random(f"{number} {scheme}")
    bits = [[drawn(number, chance) for _ in range(each)] for _ in range(NODES)]
    given = "\n".join(" ".join(f"0x{one:0{width // 4}x}" for one in node) for node in bits)
    results = run(program, "reduce", *config, "--values", "-", given=given)["results"]
    off = []
    for index, result in enumerate(results):
        values = [value(number, node[index]) for node in bits]
        sizes = math.fsum(map(abs, values))
        error = math.fsum([*values, -value(number, int(result["bits"], 16))])
        off.append(abs(error) / sizes * 2**unit)
    if max(off) > depth:
        sys.exit(f"{scheme} of {number} is off by {max(off)} units, and its bound is {depth}")
    mean = math.sqrt(math.fsum(one * one for one in off) / len(off))
    return f"| `{scheme}` | `{number}` | {depth} | {len(off)} | {max(off):.2f} | {mean:.2f} |"


def main():
    """Prints the page, or a row."""
    if len(sys.argv) > 2:
        print(row(sys.argv[1], sys.argv[3], sys.argv[2]))
        return
    print("# How far sums of floats are off\n")
    print("Written by `sim/sums.py`: an all-reduce on an 8x8 torus of random values between 1/2 and 1 of both signs. D is the number of")
    print("roundings that `check` prints, the [bound](../floats.md#how-far-it-is-from-the-exact-sum) on the error. Bound and errors are in units of")
    print("the sum of all magnitudes times 2^-24 for `f32`, 2^-8 for `bf16` and 2^-11 for `f16`.\n")
    print("| scheme | number | D | sums | worst | root mean square |")
    print("|---|---|---|---|---|---|")
    for scheme in SCHEMES:
        for number in FORMATS:
            print(row(sys.argv[1], number, scheme), flush=True)


main()
