"""Table of docs/tables/noc.md, from what run.sh measured: `table.py FOLDER SIDE...`."""

import json
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
# clocks from `run` to tick 1, see docs/rtl.md
START = 8
COLLECTIVES = ["all-gather", "all-to-all", "broadcast", "all-reduce"]
# name, clocks, LUTs, flip-flops, and MHz if it was placed
Row = tuple[str, int, int, int, "float | None"]
NETWORKS = {"deflection_torus": "deflection torus", "buffered_torus": "buffered torus"}


def cells(counts: dict[str, int]) -> tuple[int, int]:
    """LUTs and flip-flops, counted as `torusweave fpga` counts them."""
    lut = counts.get("LUT4", 0) + 2 * counts.get("CCU2C", 0) + 4 * counts.get("TRELLIS_DPR16X4", 0)
    return lut, counts.get("TRELLIS_FF", 0)


def of_network(stem: str, nodes: int) -> tuple[int, int]:
    """Cells of a network or fabric that is synthesised alone, or of one router for each node."""
    whole, router = FOLDER / f"{stem}.cells", FOLDER / f"{stem}.router.cells"
    lut, ff = cells(json.loads((whole if whole.exists() else router).read_text())["design"]["num_cells_by_type"])
    return (lut, ff) if whole.exists() else (lut * nodes, ff * nodes)


def fabric(side: int, collective: str) -> Row:
    """Figures of a fabric."""
    stem = f"fabric-{collective}-{side}"
    check = json.loads((FOLDER / f"{stem}.check").read_text())
    assert check["passed"], "a fabric that is wrong"
    name, clocks = f"static fabric, `{check['scheme']}`", check["ticks"] + START
    placed = FOLDER / f"{stem}.json"
    if not placed.exists():
        counts = json.loads((FOLDER / f"{stem}.cells").read_text())["design"]["num_cells_by_type"]
        if counts.get("DP16KD"):
            name += f" and {counts['DP16KD'] / side**2:.0f} block memories per node"
        return (name, clocks, *of_network(stem, side**2), None)
    cost = json.loads(placed.read_text())
    assert cost["fits"] and cost["design"]["bram"] == 0, "a fabric without figures"
    return name, clocks, cost["design"]["lut"], cost["design"]["ff"], cost["fmax_mhz"]


def network(side: int, collective: str, kind: str) -> Row:
    """Figures of a network, with the clocks of the fastest way."""
    lines = [line.split() for line in (FOLDER / f"{kind}-{side}.clocks").read_text().splitlines()]
    assert all(line[2] == "PASS" for line in lines), "a network that loses words"
    clocks, way = min((int(line[3]), line[1]) for line in lines if line[0] == collective)
    report = FOLDER / f"{kind}-{side}.report"
    fmax = json.loads(report.read_text())["fmax"].values() if report.exists() else []
    mhz = min((clock["achieved"] for clock in fmax), default=None)
    return (f"{NETWORKS[kind]}, {way}", clocks, *of_network(f"{kind}-{side}", side**2), mhz)


HEAD = """# Beside networks on chip

`benches/noc/run.sh` writes this page. Static fabrics of torusweave beside two networks whose routers decide, with 32 data bits per word. In
an all-gather or a broadcast a message has one word. In an all-to-all every node has one word for each other node, and in an all-reduce
one word for each chunk, of which there are as many as nodes.

**Deflection torus** (`benches/noc/deflection.v`): no buffers, links one way, written from the description of Hoplite (Kapre and
Gray, FPL 2015). **Buffered torus** (`benches/noc/buffered.v`): links both ways, FIFOs of eight words in distributed memory, credits,
dimension order, and bubble flow control (Puente et al., 2001) instead of virtual channels. Both were written for this page. Others'
routers may be better.

**Clocks** run from the start of the collective to the last arrival. A static fabric has 8 clocks of start in them, its ticks are the
rest. `benches/noc/bench.v` simulates the networks, and compares every word. Its nodes need no time to decide. Each collective is done in
several ways; the table has the fastest:

- *direct*: one packet for each word and destination. An all-reduce first sends every word to the node that sums it up.
- *rows*: from neighbour to neighbour, along the row and then along the column, passed on or summed up by the nodes.
- *tree*: a binomial tree.

**LUT and FF** are per node, by yosys for an ECP5; a memory of 16 words of 4 bits counts as four LUTs. The 8x8 fabrics and those of an
all-reduce are synthesised module by module, and of the 8x8 networks one router in the middle, so that nothing is merged across modules. **MHz** is one run
of nextpnr for an LFE5U-85F; rows without it were not placed. Time times area is there twice: clocks times LUTs per node, and microseconds
times LUTs per node.

**Not included**: whatever stands at the nodes. Both networks leave three things to them that their figures do not count: choosing the next
word to send, forwarding, and the adder of an all-reduce. The static fabric has forwarding and the adders in its LUTs, and the choice of own words but for an all-to-all, which
takes them from streams (`own: streams`). Storing what arrives
is counted for none. A packet of the networks has the address, the origin or chunk, and two bits for the phase beside its data; a static fabric has
a valid bit.
"""

TAIL = """
## What the table does not say

- **One network does all four.** A static fabric carries the collectives that it was generated for. Each row here is a fabric of its own.
- **Traffic that is not known in advance** needs a network. A static fabric cannot carry it.
- **A node that is late** delays only those who wait for it in a network. In a static fabric all nodes start together.
- **Deadlock**: nothing waits in a static fabric. The deflection torus has no buffers to wait in. The buffered torus rests on its bubble rule.
- **Links**: the deflection torus has two outputs per node, the others four.
"""


def main() -> None:
    print(HEAD)
    for side in map(int, sys.argv[2:]):
        print(f"## {side}x{side} torus\n")
        print("| collective | network | clocks | LUT | FF | clocks x LUT | MHz | microseconds | microseconds x LUT |")
        print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
        for collective in COLLECTIVES:
            rows = [fabric(side, collective)] + [network(side, collective, kind) for kind in NETWORKS]
            for name, clocks, lut, ff, mhz in rows:
                lut, ff = lut / side**2, ff / side**2
                timed = f"{mhz:.0f} | {clocks / mhz:.3f} | {clocks / mhz * lut:.0f}" if mhz else "- | - | -"
                print(f"| {collective} | {name} | {clocks} | {lut:.0f} | {ff:.0f} | {clocks * lut:.0f} | {timed} |")
        print()
    print(TAIL.strip())


main()
