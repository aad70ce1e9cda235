#!/usr/bin/env bash
# Writes docs/tables/fpga-cost.md: a dozen designs on FPGAs, each placed and routed with three seeds. An hour on two cores; the page
# grows row by row. TORUSWEAVE names the program, if it is not to be built.
set -euo pipefail
cd "$(dirname "$0")/.."

page=docs/tables/fpga-cost.md
seeds=3
read -ra torusweave <<<"${TORUSWEAVE:-cargo run --quiet --release --}"

designs=(
    "hx8k --torus 4x4 --scheme staircase --width 8"
    "hx8k --torus 4x4 --scheme staircase --width 8 --crossbar configurable"
    "hx8k --torus 4x4 --scheme zigzag --width 8"
    "hx8k --torus 4x4 --scheme optimal --width 8"
    "hx8k --torus 4x4 --scheme optimal --width 32"
    "hx8k --torus 4x4 --scheme trees --collective broadcast --flits 8 --width 8"
    "hx8k --torus 4x4 --scheme optimal --collective reduce-scatter --operation sum --width 8"
    "hx8k --torus 4x4 --scheme staircase --collective reduce-scatter --operation sum --width 8"
    "hx8k --mesh 4x5 --scheme hamiltonian --width 8"
    "hx8k --torus 3x3x3 --scheme optimal --width 8"
    "hx8k --torus 6x6 --scheme staircase --width 8"
    "hx8k --torus 6x6 --scheme staircase --width 8 --crossbar configurable"
    "hx8k --torus 6x6 --scheme zigzag --width 8"
    "hx8k --torus 6x6 --scheme optimal --width 8"
    "hx8k --torus 8x8 --scheme staircase --width 8"
    "hx8k --torus 8x8 --scheme staircase --width 8 --crossbar configurable"
    "hx8k --torus 8x8 --scheme optimal --width 8"
    "ecp5-25k --torus 4x4 --scheme optimal --width 16"
    "ecp5-25k --torus 6x8 --scheme staircase --width 16"
    "ecp5-85k --torus 8x8 --scheme staircase --width 16"
    "ecp5-85k --torus 8x8 --scheme zigzag --width 16"
    "ecp5-85k --torus 8x8 --scheme optimal --width 16"
)

# configs with `programs`
designs=(
    "hx8k examples/programs/torus-2x2.yaml"
    "ecp5-85k examples/programs/torus-4x4.yaml"
)

# figures of one design as JSON; what does not fit has figures, too
figures() { "${torusweave[@]}" fpga "${@:2}" --device "$1" --seeds "$seeds" --format json 2>/dev/null || [ $? -eq 1 ]; }

# a row of the table from the figures of a design, of its wires, and of its program
row() {
    python3 - "$1" "$2" "$3" "$4" <<'PYTHON'
import json, sys
command, design, wires, program = sys.argv[1], *map(json.loads, sys.argv[2:])
own, node = design["design"], design["per_node"]
clock = lambda figures: f"{figures['fmax_mhz']:.0f}" if figures["fmax_mhz"] else "does not fit"
middle = sorted(design["timings"], key=lambda timing: timing["mhz"])[(len(design["timings"]) - 1) // 2 :][:1]
limit = middle[0]["limit"] if middle else None
path = f"`{limit['from']}` to `{limit['to']}`" if limit else ""
time = lambda ticks, figures: f"{ticks * 1000 / round(figures['fmax_mhz']):.1f}" if figures["fmax_mhz"] else ""
times = [program["ticks"], time(program["ticks"], design), time(program["bound"], wires)]
device, flags = command.split(" ", 1)
cells = [f"`{flags}`", device, own["lut"], own["ff"], own["bram"], node["lut"], node["ff"], clock(design), clock(wires), *times, path]
print("|", " | ".join(str(cell) for cell in cells), "|")
PYTHON
}

cat >"$page" <<'PAGE'
# What it costs on an FPGA

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
|---|---|---|---|---|---|---|---|---|---|---|---|---|
PAGE
for design in "${designs[@]}"; do
    read -ra words <<<"$design"
    fabric=$(figures "${words[@]}")
    wires=$(figures "${words[@]}" --top wires)
    program=$("${torusweave[@]}" check "${words[@]:1}" --format json)
    # without the placer of its family there are no figures
    [ -z "$fabric" ] || row "$design" "$fabric" "$wires" "$program" | tee -a "$page"
done

cat >>"$page" <<'PAGE'

## Designs with programs

All seven [collectives](../python.md#a-design-with-programs) in one design, by itself and with registers, serial line and pins, in the top of `fpga --top host`.

| design | device | LUT | FF | BRAM | LUT with pins | LUT per node | clock | limited by |
|---|---|---|---|---|---|---|---|---|
PAGE
# a row of the table from the figures of a design
design_row() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
command, design = sys.argv[1], json.loads(sys.argv[2])
device, config = command.split(" ", 1)
own = design["design"]
clock = f"{design['fmax_mhz']:.0f}" if design["fmax_mhz"] else "does not fit"
middle = sorted(design["timings"], key=lambda timing: timing["mhz"])[(len(design["timings"]) - 1) // 2 :][:1]
limit = middle[0]["limit"] if middle else None
path = f"`{limit['from']}` to `{limit['to']}`" if limit else ""
cells = [f"`{config}`", device, own["lut"], own["ff"], own["bram"], design["lut"], design["per_node"]["lut"], clock, path]
print("|", " | ".join(str(cell) for cell in cells), "|")
PYTHON
}
for design in "${designs[@]}"; do
    read -ra words <<<"$design"
    placed=$(figures "${words[@]}")
    [ -z "$placed" ] || design_row "$design" "$placed" | tee -a "$page"
done
