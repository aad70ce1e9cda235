#!/usr/bin/env bash
# Writes docs/tables/fpga-cost.md: a dozen designs on FPGAs, each placed and routed with three seeds. An hour on two cores. The designs are the
# cells of the studies in sim/fpga, which Snakemake runs. TORUSWEAVE is the path of the program, if it is not to be built; FOLDER keeps
# the studies, so that a run goes on where it ended.
set -euo pipefail
cd "$(dirname "$0")/.."

page=${PAGE:-docs/tables/fpga-cost.md}
if [ -z "${TORUSWEAVE:-}" ]; then
    cargo build --quiet --release
    TORUSWEAVE=${CARGO_TARGET_DIR:-target}/release/torusweave
fi
torusweave=$(realpath "$TORUSWEAVE")
if [ -z "${FOLDER:-}" ]; then
    FOLDER=$(mktemp -d)
    trap 'rm -rf "$FOLDER"' EXIT
fi

for study in sim/fpga/*.yaml; do
    out="$FOLDER/$(basename "$study" .yaml)"
    "$torusweave" --quiet sweep "$study" --out "$out" >/dev/null
    (cd "$out" && snakemake -j 2 --config "torusweave=$torusweave")
done
# configs with `programs` are examples by themselves: DEVICE CONFIG
for design in "hx8k examples/programs/torus-2x2.yaml" "ecp5-85k examples/programs/torus-4x4.yaml"; do
    read -r device config <<<"$design"
    out="$FOLDER/$device-$(basename "$config" .yaml).json"
    # what does not fit has figures, too
    [ -s "$out" ] || "$torusweave" fpga "$config" --device "$device" --seeds 3 --format json >"$out.new" || [ $? -eq 1 ]
    [ -s "$out" ] || mv "$out.new" "$out"
done
python3 sim/fpga.py "$FOLDER" >"$page.new"
mv "$page.new" "$page"
