#!/usr/bin/env bash
# Writes docs/tables/links.md: look-up tables and flip-flops of the link layer of boards, by yosys for an iCE40. Two minutes; TORUSWEAVE
# names the program, if it is not to be built.
set -euo pipefail
cd "$(dirname "$0")/.."

page=${PAGE:-docs/tables/links.md}
read -ra torusweave <<<"${TORUSWEAVE:-cargo run --quiet --release --}"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# cells of a module and all that it has inside: LUT, flip-flops, block RAM
cells() {
    (
        cd "$place/$1"
        yosys -q -p "read_verilog $(tr '\n' ' ' <d_board.f); synth_ice40 -flatten -top $2; tee -o cells.txt stat" >/dev/null
        awk '/SB_LUT4/ { lut += $NF == "SB_LUT4" ? $1 : $2 } /SB_DFF/ { ff += $NF ~ /SB_DFF/ ? $1 : $2 } END { print lut + 0 " | " ff + 0 }' cells.txt
    )
}

for checksum in crc8 crc16; do
    for width in 8 32 64; do
        "${torusweave[@]}" --quiet generate --torus 4x4 --scheme staircase --width $width --elastic true --checksum $checksum \
            --name d --only rtl,nodes,lists --out "$place/$checksum-$width" >/dev/null
    done
done
for width in 8 32 64; do
    "${torusweave[@]}" --quiet generate --torus 4x4 --scheme staircase --width $width --elastic true \
        --name d --only rtl,nodes,lists --out "$place/none-$width" >/dev/null
done

{
    cat <<MARKDOWN
# What checked links cost

Written by \`sim/links.sh\` with $(yosys -V | cut -d ' ' -f 1-2) (\`synth_ice40\`): the cells of each part that checks [links](../concepts.md#link) between
[boards](../concepts.md#board). A board has a sender and a receiver per [port](../concepts.md#port), and one monitor.

\`torusweave generate --torus 4x4 --scheme staircase --elastic true --checksum crc8\`

| checksum | \`WIDTH\` | part | LUT | flip-flops |
|---|---|---|---|---|
MARKDOWN
    for checksum in crc8 crc16; do
        for width in 8 32 64; do
            for part in sender receiver; do
                echo "| \`$checksum\` | $width | $part, per port | $(cells $checksum-$width d_$part) |"
            done
        done
        echo "| \`$checksum\` | any | monitor, per board | $(cells $checksum-32 d_monitor) |"
    done
    cat <<MARKDOWN

The whole board, with its [router](../concepts.md#router) and four ports:

| checksum | \`WIDTH\` | LUT | flip-flops |
|---|---|---|---|
MARKDOWN
    for checksum in none crc8 crc16; do
        for width in 8 32 64; do
            echo "| \`$checksum\` | $width | $(cells $checksum-$width d_board) |"
        done
    done
} >"$place/page.md"
mv "$place/page.md" "$page"
