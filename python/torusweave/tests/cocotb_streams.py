"""Plays a design in cocotb through torusweave.cocotb, with stalls by chance, and compares every word with numpy.

usage: cocotb_streams.py FOLDER PACKETS FLITS [SIMULATOR]

PACKETS are those of each block, of so many FLITS; a list of programs has blocks of one packet.
"""

import itertools
import os
import sys
from pathlib import Path

import cocotb
import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from torusweave import TorusError
from torusweave.cocotb import Design

ROUNDS = 4


async def received(design, node, words):
    """Words of a node, each with its origin, where streams tell it."""
    got = []
    while len(got) < words:
        packet = await design.packet(node)
        got.extend(zip(packet.origins or [None] * len(packet.words), packet.words.tolist()))
    return got


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def every_word_equals_numpy(dut):
    """Every program in turn, at streams that pause by chance, before and after a reset."""
    design = Design(dut, os.environ["COMPONENT"], timeout=100)
    chance = np.random.default_rng(3)
    ports = {port.name for port in design.description.ports}
    # all nodes behind one stream, rows of several words, blocks
    has_one, has_blocks = design.nodes == [()], "misframed" in ports
    has_rows = any(port.endswith("_m_axis_tkeep") for port in ports)
    # dead nodes have no streams
    places = list(itertools.product(*(range(axis.side) for axis in design.description.axes))) if has_one else design.nodes
    nodes, packets, flits, limit = len(places), int(os.environ["PACKETS"]), int(os.environ["FLITS"]), 1 << design.bits
    compared = 0
    await design.reset()
    for stall in (0.0, 0.3, 0.8):
        design.stall(stall, seed=int(10 * stall))
        for _ in range(ROUNDS):
            for program in design.description.programs:
                # blocks of each node: one, one for every node, or one of three words of the root alone
                blocks = {"gossip": 1, "all-reduce": nodes, "broadcast": 1}[program.collective]
                root = int(chance.integers(nodes)) if program.collective == "broadcast" else None
                given = chance.integers(0, limit, (nodes, blocks * packets, flits if root is None else 3))
                for node, words in enumerate(given):
                    if root not in (None, node):
                        continue
                    # by number, coordinates and name
                    named = [node, places[node], f"n{'_'.join(map(str, places[node]))}"][node % 3]
                    await design.send(None if has_one else named, words, program.number)
                await design.call(program.number, root)
                result = given.reshape(nodes * packets * blocks, -1) if program.collective == "gossip" else given.sum(0) % limit
                result = given[root] if root is not None else result
                origins = [(places[number // packets if root is None else root], number % packets) for number in range(len(result))]
                origins = origins if has_blocks else [None] * len(result)
                wanted = [(origin, word) for origin, words in zip(origins, result.tolist()) for word in words]
                for node in range(nodes):
                    if node == 0 and not has_blocks:
                        # the array of a call, at once
                        got = (await design.receive(node)).tolist()
                        assert got == result.reshape(-1).tolist(), f"{program} node {node}: {got}, expected {result}"
                        compared += len(got)
                        continue
                    if node == 1:
                        words = (await design.receive(None if has_one else node, words=len(wanted))).tolist()
                        got = [(origin, word) for (origin, _), word in zip(wanted, words)]
                        if has_rows:
                            assert sorted(words) == sorted(word for _, word in wanted), f"{program} node 1: {words}, expected {wanted}"
                            compared += len(words)
                            continue
                    else:
                        got = await received(design, None if has_one else node, len(wanted))
                    if has_rows:
                        # in the order of their arrival
                        got.sort(key=lambda each: each[0])
                    assert got == wanted, f"{program} node {node}: {got}, expected {wanted}"
                    compared += len(got)
        design.check()
        await design.reset()
    dut._log.info("%d words compared", compared)
    Path("compared").write_text(f"{compared} words\n")


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def wrong_use_is_refused_in_words(dut):
    """Faults of the caller are told with the field, the reason and what works."""
    design = Design(dut, os.environ["COMPONENT"], timeout=2)
    await design.reset()

    async def refused(about, call):
        try:
            await call
        except TorusError as error:
            assert about in str(error), f"{error}, expected {about}"
        else:
            raise AssertionError(f"{about}: not refused")

    if design.nodes == [()]:
        await refused("node: must be None (is 3): all nodes have one stream", design.send(3, [1]))
        return
    several = len(design.description.programs) > 1
    await refused("node: there is no node 99\nhelp: name one by its number", design.send(99, [1], 0))
    await refused("node: there is no node (9, 9)", design.packet((9, 9)))
    await refused("node: there is no node 'n9_9'", design.packet("n9_9"))
    await refused(f"words: must fit in {design.bits} bits ({1 << design.bits} does not)", design.send(0, [1 << design.bits], 0))
    await refused("words: floats must have the bits of a word", design.send(0, [1.5], 0))
    await refused("words: must be numbers", design.send(0, ["a"], 0))
    await refused("program: there is no program 7\nhelp: the design has 0 ", design.call(7))
    rows = next((len(sink.bus.tkeep) for sink in design.sinks.values() if hasattr(sink.bus, "tkeep")), 1)
    await refused("words: must be given: rows" if rows > 1 else "m_axis gave no end of a packet in 2 us", design.receive(0))
    if several:
        await refused("program: must be given\nhelp: the design has 0 gossip, 1 all-reduce", design.call())
        # one call, or two, wait for the words of the first
        async def calls():
            for _ in range(4):
                await design.call(0)

        await refused("call: program 0 was not taken in 2 us\nhelp: is the design reset", calls())
        await refused("node: there is no node 99", design.call(0, root=99))
    else:
        await refused("call: program 0 was not taken in 2 us\nhelp: every node must have its words", design.call())
        await refused("root: must not be given", design.call(root=0))
    try:
        design.stall(1)
    except TorusError as error:
        assert "chance: must be from 0 to less than 1" in str(error)
    # blocks that end at a wrong place, or words that nobody takes
    has_blocks = any(port.name == "misframed" for port in design.description.ports)
    about = "misframed: a block ended at a wrong place" if has_blocks else "receive: words wait at n"
    await design.reset()
    design.check()
    for node in range(len(design.nodes)):
        await design.send(node, [[1] * (int(os.environ["FLITS"]) + has_blocks)] * 8, 0)
    await design.call(0)
    await design.packet(0)
    await cocotb.triggers.Timer(2, "us")
    try:
        design.check()
    except TorusError as error:
        assert str(error).startswith(about), error
    else:
        raise AssertionError(f"{about}: not told")


def main(folder, packets, flits, simulator="icarus"):
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner
    from torusweave._component import Description

    description = Description(folder)
    runner = get_runner(simulator)
    built = Path("sim_build").resolve()
    top = description.module
    options = ["--Wno-fatal"] if simulator == "verilator" else []
    sources = [path.resolve() for path in description.files]
    runner.build(sources=sources, hdl_toplevel=top, build_dir=built, build_args=options, timescale=("1ns", "1ps"), always=True)
    program = Path(folder).resolve() / "component.xml"
    environment = {
        "COMPONENT": str(program),
        "PACKETS": packets,
        "FLITS": flits,
        "PYTHONPATH": str(Path(__file__).resolve().parent),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    results = runner.test(
        hdl_toplevel=top, test_module="cocotb_streams", build_dir=built, test_dir=built, extra_env=environment
    )
    passed, failed = get_results(results)
    print((built / "compared").read_text() if not failed else f"{failed} tests failed", end="")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
