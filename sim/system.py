"""Plays a generated system in cocotb: streams of cocotbext-axi that pause by chance, every packet at every node compared.

    python3 sim/system.py FOLDER SYSTEM SIDES PACKETS FLITS RUNS

for example `python3 sim/system.py generated/torus_4x4_nodes torus_4x4_nodes_system 4x4 2 2 10`. The order is that of origins,
the words are of whole bytes.
"""

import itertools
import logging
import os
import pathlib
import random
import sys

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

FIELDS = ("SIDES", "PACKETS", "FLITS", "RUNS")


def pauses(chance):
    """High by chance: now and then, often or never for a while."""
    while True:
        threshold = chance.choice((0.0, 0.5, 0.95))
        for _ in range(chance.randrange(1, 100)):
            yield chance.random() < threshold


def words(chance, width, flits):
    return [chance.randrange(1 << width) for _ in range(flits)]


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def every_node_has_every_packet(dut):
    """All that goes in at any node comes out at every node, by origin, run after run."""
    sides = [int(side) for side in os.environ["SIDES"].split("x")]
    packets, flits, runs = (int(os.environ[field]) for field in FIELDS[1:])
    chance = random.Random(1)
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 1
    dut.start.value = 1
    nodes = list(itertools.product(*map(range, sides)))
    names = ["n" + "_".join(map(str, node)) for node in nodes]
    sources, sinks = [], []
    for name in names:
        sources.append(AxiStreamSource(AxiStreamBus.from_prefix(dut, f"{name}_s_axis"), dut.clk, dut.rst, byte_lanes=1))
        sinks.append(AxiStreamSink(AxiStreamBus.from_prefix(dut, f"{name}_m_axis"), dut.clk, dut.rst, byte_lanes=1))
        for end in (sources[-1], sinks[-1]):
            end.log.setLevel(logging.WARNING)
            end.set_pause_generator(pauses(random.Random(chance.random())))
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    width = len(sources[0].bus.tdata)
    played = [[[words(chance, width, flits) for _ in range(packets)] for _ in nodes] for _ in range(runs)]
    for run in played:
        for source, own in zip(sources, run):
            for packet in own:
                await source.send(AxiStreamFrame(packet))
    # a coordinate has the bits that its largest value needs, and so has the number of a packet
    fields = [max(1, (side - 1).bit_length()) for side in sides] + ([(packets - 1).bit_length()] if packets > 1 else [])
    compared = 0
    for run in played:
        for name, sink in zip(names, sinks):
            for node, own in zip(nodes, run):
                for number, packet in enumerate(own):
                    user = 0
                    for value, bits in zip((*node, number), fields):
                        user = user << bits | value
                    frame = await sink.recv(compact=False)
                    got = list(frame.tdata), set(frame.tuser)
                    assert got == (packet, {user}), f"{name}: {got}, expected {packet} of {user}"
                    compared += 1
    assert dut.misframed.value == 0
    for _ in range(100):
        await RisingEdge(dut.clk)
    assert all(sink.empty() for sink in sinks), "more packets than there are"
    dut._log.info("%d packets compared", compared)


def main(folder, system, *values):
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    folder = pathlib.Path(folder).resolve()
    runner = get_runner("icarus")
    built = pathlib.Path(os.environ.get("BUILD", "sim_build")).resolve()
    listed = (folder / f"{system}.f").read_text().split()
    sources = [folder / path for path in listed]
    runner.build(sources=sources, hdl_toplevel=system, build_dir=built, timescale=("1ns", "1ps"), always=True)
    results = runner.test(
        hdl_toplevel=system,
        test_module="system",
        build_dir=built,
        test_dir=built,
        extra_env={
            **dict(zip(FIELDS, values)),
            "PYTHONPATH": str(pathlib.Path(__file__).resolve().parent),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    sys.exit(1 if get_results(results)[1] else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
