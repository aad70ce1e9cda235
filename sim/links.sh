#!/usr/bin/env bash
# Writes docs/tables/links.md: look-up tables and flip-flops of the ports of boards, by yosys for an iCE40 and an ECP5. Ten minutes;
# TORUSWEAVE names the program, if it is not to be built.
set -euo pipefail
cd "$(dirname "$0")/.."

page=${PAGE:-docs/tables/links.md}
read -ra torusweave <<<"${TORUSWEAVE:-cargo run --quiet --release --}"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# cells of a module and all that it has inside: LUT, flip-flops, and on an ECP5 distributed RAM
cells() {
    (
        cd "$place/$1"
        yosys -q -p "read_verilog $(tr '\n' ' ' <d_board.f); synth_$3 -flatten -top $2; tee -o cells.txt stat" >/dev/null 2>&1
        awk -v device="$3" '
            function cell(name) { return $NF == name ? $1 : $1 == name ? $2 : 0 }
            { lut += cell("SB_LUT4") + cell("LUT4"); ram += cell("TRELLIS_DPR16X4"); carry += cell("CCU2C") }
            /SB_DFF|TRELLIS_FF/ { ff += $NF ~ /SB_DFF|TRELLIS_FF/ ? $1 : $2 }
            # a carry cell of an ECP5 takes the place of two LUTs
            END { printf "%d | %d", lut + 2 * carry, ff; if (device == "ecp5") printf " | %d", ram }' cells.txt
    )
}

# a row for both devices
row() { echo "| $1 | $2 | $3 | $(cells "$4" "$5" ice40) | $(cells "$4" "$5" ecp5) |"; }

for clocks in board cable; do
    for width in 8 32 64; do
        for checksum in none crc8 crc16; do
            options=()
            [ $checksum = none ] || options=(--checksum $checksum)
            "${torusweave[@]}" --quiet generate --torus 4x4 --scheme staircase --width $width --elastic true --clocks $clocks \
                "${options[@]}" --name d --only rtl,nodes,lists --out "$place/$checksum-$width-$clocks" >/dev/null
        done
    done
done
for width in 8 32 64; do
    for checksum in crc8 crc16; do
        "${torusweave[@]}" --quiet generate --torus 4x4 --scheme staircase --width $width --elastic true --checksum $checksum \
            --start common --name d --only rtl,nodes,lists --out "$place/$checksum-$width-common" >/dev/null
    done
done
for width in 8 32 64; do
    for checksum in crc8 crc16; do
        "${torusweave[@]}" --quiet generate --torus 4x4 --scheme staircase --width $width --elastic true --checksum $checksum \
            --ports serial --name d --only rtl,nodes,lists --out "$place/$checksum-$width-serial" >/dev/null
        for clocks in board cable; do
            for bytes in 8 2; do
                "${torusweave[@]}" --quiet generate --torus 4x4 --scheme staircase --width $width --elastic true --checksum $checksum \
                    --ports bytes --bytes $bytes --clocks $clocks --name d --only rtl,nodes,lists \
                    --out "$place/$checksum-$width-$clocks-$bytes" >/dev/null
            done
        done
    done
done

{
    cat <<MARKDOWN
# What ports of boards cost

Written by \`sim/links.sh\` with $(yosys -V | cut -d ' ' -f 1-2) (\`synth_ice40\`, \`synth_ecp5\`): the cells of what checks [links](../concepts.md#link) between
[boards](../concepts.md#board), and of what crosses from the clock of a cable to that of a board. A board has a FIFO or crossing, a sender and a receiver per [port](../concepts.md#port),
and one monitor; with \`start: common\` a starter and a tree, too. With \`ports: serial\` a port also has both ends of a wire, and a throttle. With \`ports: bytes\` it has the way to a transceiver, which includes throttle and crossing, and the way from it. A receiver with \`clocks: cable\` includes its crossing. An ECP5 has distributed RAM, of which a cell holds 16 words of 4 bits; on an iCE40 the words are flip-flops.

\`torusweave generate --torus 4x4 --scheme staircase --elastic true --checksum crc8 --clocks cable\`

| checksum | \`WIDTH\` | part | iCE40: LUT | flip-flops | ECP5: LUT | flip-flops | RAM |
|---|---|---|---|---|---|---|---|
MARKDOWN
    for width in 8 32 64; do
        row "\`none\`" $width "FIFO, per port" none-$width-board d_fifo
        row "\`none\`" $width "crossing, per port" none-$width-cable d_crossing
    done
    for checksum in crc8 crc16; do
        for width in 8 32 64; do
            row "\`$checksum\`" $width "sender, per port" $checksum-$width-board d_sender
            row "\`$checksum\`" $width "sender, \`start: common\`" $checksum-$width-common d_sender
            row "\`$checksum\`" $width "receiver, per port" $checksum-$width-board d_receiver
            row "\`$checksum\`" $width "receiver, \`clocks: cable\`" $checksum-$width-cable d_receiver
            row "\`$checksum\`" $width "crossing in it" $checksum-$width-cable d_crossing
        done
        for width in 8 32 64; do
            row "\`$checksum\`" $width "wire_out, \`ports: serial\`" $checksum-$width-serial d_wire_out
            row "\`$checksum\`" $width "wire_in, \`ports: serial\`" $checksum-$width-serial d_wire_in
            row "\`$checksum\`" $width "throttle, \`ports: serial\`" $checksum-$width-serial d_throttle
            for bytes in 8 2; do
                row "\`$checksum\`" $width "beats_out, \`bytes: $bytes\`" $checksum-$width-board-$bytes d_beats_out
                row "\`$checksum\`" $width "beats_out, \`bytes: $bytes\`, \`clocks: cable\`" $checksum-$width-cable-$bytes d_beats_out
                row "\`$checksum\`" $width "beats_in, \`bytes: $bytes\`" $checksum-$width-board-$bytes d_beats_in
            done
        done
        row "\`$checksum\`" any "monitor, per board" $checksum-32-board d_monitor
    done
    for width in 8 32 64; do
        row any $width "starter, \`start: common\`, per board" crc8-$width-common d_starter
    done
    row any any "tree, \`start: common\`, per board" crc8-32-common d_tree
    cat <<MARKDOWN

The whole board on an iCE40, with its [router](../concepts.md#router) and four ports:

| checksum | \`clocks\` | \`WIDTH\` | LUT | flip-flops |
|---|---|---|---|---|
MARKDOWN
    for checksum in none crc8 crc16; do
        for clocks in board cable; do
            for width in 8 32 64; do
                echo "| \`$checksum\` | \`$clocks\` | $width | $(cells $checksum-$width-$clocks d_board ice40) |"
            done
        done
    done
} >"$place/page.md"
mv "$place/page.md" "$page"
