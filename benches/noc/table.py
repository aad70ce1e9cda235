"""Table of docs/tables/noc.md, from what run.sh measured: `table.py FOLDER SIDE...`."""

import json
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(sys.argv[1])
# clocks from `run` to tick 1, see docs/rtl.md
START = 8
COLLECTIVES = ["all-gather", "all-to-all", "broadcast", "reduce", "all-reduce"]
# in the order of the bench of nodes for seven; a reduce is a part of the reduce-scatter there
OF_SEVEN = ["all-gather", "all-to-all", "broadcast", "all-reduce"]
NETWORKS = {
    "deflection_torus": "deflection torus",
    "buffered_torus": "buffered torus",
    "forking_torus": "buffered torus that forks",
    "adding_torus": "buffered torus that adds",
}
# networks side by side
COPIES = [("deflection_torus", 1), ("deflection_torus", 2)] + [(f"{kind}_torus", many) for kind in ("buffered", "forking", "adding") for many in (1, 4)]
# collectives for which routers that copy, and those that add as well, have a way of their own
WITH_WAYS = {"forking_torus": ["all-gather", "broadcast", "all-reduce"], "adding_torus": ["reduce", "all-reduce"]}
NUMBERS = {1: "", 2: "two side by side, ", 4: "four side by side, "}


class Row(NamedTuple):
    """Figures of a design."""

    name: str
    # words per clock that a processing element takes at most
    doors: int
    clocks: int
    lut: int
    ff: int
    # of one collective of many in a row, where that was measured
    in_a_row: float | None = None
    # if it was placed
    mhz: float | None = None


def cells(counts: dict[str, int]) -> tuple[int, int]:
    """LUTs and flip-flops, counted as `torusweave fpga` counts them."""
    lut = counts.get("LUT4", 0) + 2 * counts.get("CCU2C", 0) + 4 * counts.get("TRELLIS_DPR16X4", 0)
    return lut, counts.get("TRELLIS_FF", 0)


def of_network(stem: str, nodes: int) -> tuple[int, int]:
    """Cells of a network or fabric that is synthesised alone, or of one router for each node."""
    whole, router = FOLDER / f"{stem}.cells", FOLDER / f"{stem}.router.cells"
    lut, ff = cells(json.loads((whole if whole.exists() else router).read_text())["design"]["num_cells_by_type"])
    return (lut, ff) if whole.exists() else (lut * nodes, ff * nodes)


def counted(stem: str) -> dict[str, int]:
    """Cells of a design by type."""
    return json.loads((FOLDER / f"{stem}.cells").read_text())["design"]["num_cells_by_type"]


def with_memories(name: str, memories: int, side: int) -> str:
    """The name of a design, and its block memories."""
    each, shared = divmod(memories, side**2)
    where = f"{each} per node" if each and not shared else f"{memories} in all"
    return f"{name}, block memories: {where}" if memories else name


def memories(stem: str) -> int:
    """Block memories of a design."""
    return counted(stem).get("DP16KD", 0)


def fabric(side: int, collective: str) -> Row:
    """Figures of a fabric."""
    stem = f"fabric-{collective}-{side}"
    check = json.loads((FOLDER / f"{stem}.check").read_text())
    assert check["passed"], "a fabric that is wrong"
    name, clocks = f"static fabric, `{check['scheme']}`", check["ticks"] + START
    placed = FOLDER / f"{stem}.json"
    if not placed.exists():
        return Row(with_memories(name, memories(stem), side), 4, clocks, *of_network(stem, side**2))
    cost = json.loads(placed.read_text())
    assert cost["fits"] and cost["design"]["bram"] == 0, "a fabric without figures"
    return Row(name, 4, clocks, cost["design"]["lut"], cost["design"]["ff"], mhz=cost["fmax_mhz"])


def nodes(side: int, collective: str, words: int) -> Row:
    """Figures of a fabric with nodes that have streams."""
    stem = f"nodes-{collective}-{side}-{words}"
    clocks, in_a_row = (FOLDER / f"{stem}.through").read_text().split()
    return Row(with_memories("with nodes", memories(stem), side), words, int(clocks), *cells(counted(stem)), float(in_a_row))


def every(side: int, collective: str) -> Row:
    """Figures of nodes that know seven collectives."""
    stem = f"every-{side}"
    clocks = (FOLDER / f"{stem}.through").read_text().split()[OF_SEVEN.index(collective)]
    placed = FOLDER / f"{stem}.json"
    if placed.exists():
        cost = json.loads(placed.read_text())
        own = cost["design"]
        name = with_memories("with nodes for seven collectives", own["bram"], side)
        return Row(name, 1, int(clocks), own["lut"], own["ff"], mhz=cost["fmax_mhz"])
    return Row(with_memories("with nodes for seven collectives", memories(stem), side), 1, int(clocks), *cells(counted(stem)))


def network(side: int, collective: str, kind: str, copies: int) -> Row:
    """Figures of networks side by side, with the clocks of the fastest way."""
    lines = [line.split() for line in (FOLDER / f"{kind}-{side}-x{copies}.clocks").read_text().splitlines()]
    assert all(line[2] == "PASS" for line in lines), "a network that loses words"
    clocks, way = min((int(line[3]), line[1]) for line in lines if line[0] == collective)
    report = FOLDER / f"{kind}-{side}.report"
    fmax = json.loads(report.read_text())["fmax"].values() if report.exists() else []
    mhz = min((clock["achieved"] for clock in fmax), default=None)
    lut, ff = of_network(f"{kind}-{side}", side**2)
    return Row(f"{NETWORKS[kind]}, {NUMBERS[copies]}{way}", copies, clocks, lut * copies, ff * copies, mhz=mhz)


HEAD = """# Beside networks on chip

`benches/noc/run.sh` writes this page. Static fabrics of torusweave beside networks whose routers decide, with 32 data bits per word. In
an all-gather, a broadcast or a reduce a message has one word. In an all-to-all every node has one word for each other node, and in an all-reduce
one word for each chunk, of which there are as many as nodes.

**Deflection torus** (`benches/noc/deflection.v`): no buffers, links one way, written from the description of Hoplite (Kapre and
Gray, FPL 2015). **Buffered torus** (`benches/noc/buffered.v`): links both ways, FIFOs of eight words in distributed memory, credits,
dimension order, and bubble flow control (Puente et al., 2001) instead of virtual channels. **The same that forks** has routers that copy: a word to
all goes along its row, and from each node of it along the column. **The same that adds** copies, and adds as FlooNoC's routers do (arXiv 2603.26438): a
router waits for the words of its children in a tree and for that of its node, and forwards the sum. It goes the way of a word to all, backwards, and takes a clock more per router.
All were written for this page. Others' routers may be better: Hoplite's authors report 60 LUTs of six inputs, 100 flip-flops and 2.9 ns for a router of 32 bits, placed by hand.

**Words** are those that a processing element gives and takes per clock. A static fabric by itself brings up to four, one from each
link, to whoever can use them at once. *With nodes* stands for its streams (`--order arrival`, `--words 4` or 1): they store what goes in and
what comes, so that one collective comes after another. *With nodes for seven collectives* is one design that is called for each of them
([lists of programs](../calls.md)). Networks stand there alone, with one word per node and clock, and several side by side: two deflection toruses
have as many wires as ours, four buffered ones as many words.

**Clocks** run from the first word that a node gives to the last that a node takes. A static fabric alone has 8 clocks of start in them, its ticks are the
rest. `benches/noc/bench.v` simulates the networks, `benches/noc/nodes.v` counts beside the generated bench, and both compare every word. **In a row** are
the clocks of one collective of many, one after the other without a pause. On networks each collective is done in several ways by nodes that need no
time to decide; the table has the fastest:

- *direct*: one packet for each word and destination. An all-reduce first sends every word to the node that sums it up.
- *rows*: from neighbour to neighbour, along the row and then along the column, passed on or summed up by the nodes.
- *tree*: a binomial tree.
- *forks*: the routers copy a word to all nodes; an all-reduce sums up as by *rows* first.
- *adds*: the routers add all words for one node, which adds its own; in an all-reduce they copy each sum to all nodes. A sum of its own node for each chunk is
  slower: routers that wait must take all chunks in one order, and each waits for the farthest node of the one before. A 4x4 all-reduce takes 91 clocks so instead of 39.
- *planned*: an all-to-all whose words leave in a planned order and at planned clocks, so that none waits for another. On the deflection
  torus the plan leaves no pause on the links to the south, which also are the way out: no plan is shorter. On the buffered torus it is the best of 1,000 random ones.

**LUT and FF** are per node, by yosys for an ECP5; a memory of 16 words of 4 bits counts as four LUTs. Fabrics with nodes, the 8x8 fabrics and those of an
all-reduce are synthesised module by module, and of the 8x8 networks one router in the middle, so that nothing is merged across modules. The 4x4 nodes for seven
collectives are synthesised and placed as a whole. Such counts move with names and order:
the 8x8 router that forks has had 1,019 to 1,265 LUTs. **MHz** is one run
of nextpnr for an LFE5U-85F; rows without it were not placed, which takes an hour and more each. Time times area is there twice: clocks times LUTs per node, and
microseconds times LUTs per node.

**Not included**: whatever stands at the nodes of networks. They leave three things to them that their figures do not count: choosing the next
word to send, forwarding, and the adders of a reduction; routers that add leave them the adder of the root alone. The static fabric has forwarding and the adders in its LUTs, and the choice of own words but for an all-to-all, which
takes them from streams (`own: streams`). Storing what arrives is counted with nodes alone: on an ECP5 most of their memories are LUTs, and
their routers select by words that come from tables, not by wires. A packet of the networks has the address, the origin or chunk, and
two bits for the phase beside its data; a static fabric has a valid bit.
"""

TAIL = """
## What the table says, and what it does not

- **Nodes with one word per clock** store a block before they begin, and give what has come when all of it is there. So a single collective takes longer through
  them than on the buffered torus, and an all-to-all up to twice as long. In a row, all-gathers and all-reduces take as long as the words at the door, and all-to-alls a few clocks more.
- **Routers that copy** make a broadcast as short as the way, and four such networks an all-gather a little shorter than the static fabric, whose start takes eight clocks:
  with 25 times its LUTs on an 8x8 torus.
- **Routers that add** take the fewest clocks of all networks for an all-reduce: 107 on an 8x8 torus where routers that copy take 151, and four side by side 59 for 77.
  The static fabric alone takes 41, with nodes of one word 169, or 64 in a row. Routers that add have half as many LUTs again as those that copy, and a slower clock:
  in microseconds a 4x4 all-reduce gains nothing by one network of them, and the deflection torus is faster. A single word is summed up
  sooner where all nodes send it to the root through several networks.
- **Nodes for seven collectives** have as many LUTs as five buffered routers on an 8x8 torus, with the memories and the adders that the routers leave to others. On a 4x4 torus
  their clock is 56 MHz, slower than that of routers that add. Its longest path leads from a memory that all nodes share to a node.
- **An all-to-all that is planned** is close on networks to what links allow. The plan is what a static fabric is: both know the traffic in advance.
- **One network does all five.** A static fabric by itself carries the collective that it was generated for. The row with seven is one design.
- **Traffic that is not known in advance** needs a network. A static fabric cannot carry it.
- **A node that is late** delays only those who wait for it in a network. In a static fabric all nodes start together.
- **Deadlock**: nothing waits in a static fabric. The deflection torus has no buffers to wait in. The buffered torus rests on its bubble rule.
- **Links**: the deflection torus has two outputs per node, the others four.
"""


def main() -> None:
    print(HEAD)
    for side in map(int, sys.argv[2:]):
        print(f"## {side}x{side} torus\n")
        print("| collective | network | words | clocks | in a row | LUT | FF | clocks x LUT | MHz | microseconds | microseconds x LUT |")
        print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        for collective in COLLECTIVES:
            ours = [fabric(side, collective), nodes(side, collective, 4), nodes(side, collective, 1)]
            if collective in OF_SEVEN:
                ours.append(every(side, collective))
            beside = [(kind, copies) for kind, copies in COPIES if collective in WITH_WAYS.get(kind, COLLECTIVES)]
            for row in ours + [network(side, collective, kind, copies) for kind, copies in beside]:
                lut, ff, clocks = row.lut / side**2, row.ff / side**2, row.clocks
                timed = f"{row.mhz:.0f} | {clocks / row.mhz:.3f} | {clocks / row.mhz * lut:.0f}" if row.mhz else "- | - | -"
                in_a_row = f"{row.in_a_row:.0f}" if row.in_a_row else "-"
                figures = f"{row.doors} | {clocks} | {in_a_row} | {lut:.0f} | {ff:.0f} | {clocks * lut:.0f} | {timed}"
                print(f"| {collective} | {row.name} | {figures} |")
        print()
    print(TAIL.strip())


main()
