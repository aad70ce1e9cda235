"""Page docs/tables/fpga-cost.md, from the studies that fpga.sh ran: `fpga.py FOLDER`."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
DEVICES = ["hx8k", "ecp5-25k", "ecp5-85k"]
PROGRAMS = [("hx8k", "examples/programs/torus-2x2.yaml"), ("ecp5-85k", "examples/programs/torus-4x4.yaml")]

HEAD = """# What it costs on an FPGA

Written by `sim/fpga.sh`. LUTs, flip-flops and block memories are those of the fabric by itself, clocks in MHz the median of three
seeds, in the top of `fpga --top fabric`. *Wires* is the clock of `--top wires`, the same links with one register and one gate
per output: what any fabric on them could have at most, give or take the luck of the placer. Limits are from the register a path leaves
to what it ends at, with the median seed. *ns* is the time of the ticks at that clock, *floor* that of the lower bound at the clock of
the wires: what no schedule and no router falls below. A model of both clocks stands behind `compare --device`.

A configurable crossbar (`--crossbar configurable`) takes four times the LUTs of the fixed one, a third more flip-flops and a third or more of
the clock: two look-up tables follow one another before an output instead of one. The 8x8 no longer fits an hx8k.

Fewer steps need not take less time. A 4x4 reduce-scatter by `optimal` has half the steps of `staircase` and takes as long, as up to three adders
follow one another before an output instead of one.

| design | device | LUT | FF | BRAM | LUT per node | FF per node | clock | wires | ticks | ns | floor | limited by |
|---|---|---|---|---|---|---|---|---|---|---|---|---|"""

OF_PROGRAMS = """
## Designs with programs

All seven [collectives](../python.md#a-design-with-programs) in one design, by itself and with registers, serial line and pins, in the top of `fpga --top host`.

| design | device | LUT | FF | BRAM | LUT with pins | LUT per node | clock | limited by |
|---|---|---|---|---|---|---|---|---|"""

# one row of table.csv
Cell = dict[str, str]


def flags(cell: Cell) -> str:
    """Flags that describe a design: its network, and the other fields of its cell."""
    fields = list(cell)[1 : list(cell).index("result")]
    return " ".join([f"--{cell['topology']}", *(f"--{field.split('.')[-1]} {cell[field]}" for field in fields if cell[field])])


def clock(mhz: str) -> str:
    """A clock in whole MHz."""
    return f"{float(mhz):.0f}" if mhz else "does not fit"


def time(ticks: str, mhz: str) -> str:
    """Nanoseconds of ticks at a clock as it is shown."""
    return f"{int(ticks) * 1000 / int(clock(mhz)):.1f}" if mhz else ""


def row(device: str, cell: Cell) -> str:
    """Row of a design."""
    limit = f"`{cell['fpga.limit.from']}` to `{cell['fpga.limit.to']}`" if cell["fpga.limit.from"] else ""
    area = [cell[f"fpga.{name}"] for name in ("design.lut", "design.ff", "design.bram", "per_node.lut", "per_node.ff")]
    mhz, wires = cell["fpga.fmax_mhz"], cell["fpga-2.fmax_mhz"]
    times = [cell["check.ticks"], time(cell["check.ticks"], mhz), time(cell["check.bound"], wires)]
    return f"| {' | '.join([f'`{flags(cell)}`', device, *area, clock(mhz), clock(wires), *times, limit])} |"


def program_row(device: str, config: str) -> str:
    """Row of a design with programs."""
    found = json.loads((FOLDER / f"{device}-{Path(config).stem}.json").read_text())
    own, timings = found["design"], sorted(found["timings"], key=lambda timing: timing["mhz"])
    limit = timings[(len(timings) - 1) // 2]["limit"] if timings else None
    path = f"`{limit['from']}` to `{limit['to']}`" if limit else ""
    figures = [own["lut"], own["ff"], own["bram"], found["lut"], found["per_node"]["lut"]]
    cells = [f"`{config}`", device, *map(str, figures), clock(str(found["fmax_mhz"] or "")), path]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    print(HEAD)
    for device in DEVICES:
        with (FOLDER / device / "table.csv").open(newline="") as file:
            for cell in csv.DictReader(file):
                print(row(device, cell))
    print(OF_PROGRAMS)
    for device, config in PROGRAMS:
        print(program_row(device, config))


main()
