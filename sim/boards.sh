#!/bin/sh
# Faults on the links between boards, until a million tokens have passed under Verilator: never a wrong word, always the right code.
# boards.sh [TOKENS] [SETTINGS OF THE DESIGN]; FAULT=13 in the environment exchanges cables, and tries no other fault
set -eu
tokens=${1:-1000000}
[ $# -gt 0 ] && shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo run --locked --quiet -- generate --torus 3x4 --scheme optimal --width 8 --elastic true --checksum crc8 "$@" --name faulty --out "$folder/faulty" --quiet > /dev/null
cd "$folder/faulty"
verilator --binary --timing -O3 -f faulty_board.f tb/faulty_board_tb.v --top-module faulty_board_tb > build.log 2>&1 || { cat build.log; exit 1; }
passed=0
seed=1
while [ "$passed" -lt "$tokens" ]; do
    said=$(obj_dir/Vfaulty_board_tb +faults=400 +fault="${FAULT:-0}" +seed=$seed | grep -v finish)
    echo "seed $seed: $said"
    case $said in
    PASS*) ;;
    *) exit 1 ;;
    esac
    passed=$((passed + $(echo "$said" | sed 's/.* \([0-9]*\) tokens.*/\1/')))
    seed=$((seed + 1))
done
echo "$passed tokens, $(((seed - 1) * 400)) faults: each named, never a wrong word"
