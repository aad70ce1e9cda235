"""Calls a generated design behind AXI4-Lite in cocotb, with the master of cocotbext-axi: every collective against numpy.

    python3 sim/calls.py FOLDER NAME

FOLDER is what `torusweave generate` wrote for a config NAME with `host: { bus: axi-lite }`. The accesses are this script's own,
made from NAME_programs.json alone.
"""

import json
import os
import pathlib
import random
import struct
import sys

import cocotb
import numpy
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

SCATTER, WRITE, COLLECT, READ = 1, 2, 3, 4


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def every_collective_equals_numpy(dut):
    """Every program with every root, in random order; error codes, and the call after a reset."""
    about = json.loads(pathlib.Path(os.environ["ABOUT"]).read_text())
    nodes, width = about["nodes"], about["width"]
    word = {register["name"]: 4 * register["word"] for register in about["registers"]}
    cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start())
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False)
    chance = random.Random(7)

    def pauses():
        while True:
            yield chance.random() < 0.3

    channels = [master.write_if.aw_channel, master.write_if.w_channel, master.write_if.b_channel]
    for channel in channels + [master.read_if.ar_channel, master.read_if.r_channel]:
        channel.set_pause_generator(pauses())
    dut.aresetn.value = 0
    for _ in range(8):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1

    async def read(name):
        return struct.unpack("<I", (await master.read(word[name], 4)).data)[0]

    async def write(name, value):
        await master.write(word[name], struct.pack("<I", value))

    assert await read("ID") == 0x54574345
    assert await read("HASH") == about["hash"]
    random_words = numpy.random.default_rng(5)
    combine = {"sum": numpy.add, "max": numpy.maximum, "min": numpy.minimum, "xor": numpy.bitwise_xor,
               "and": numpy.bitwise_and, "or": numpy.bitwise_or}

    async def call(program, root):
        collective, words = program["collective"], program["words"]
        rows = collective in ("all-reduce", "reduce-scatter", "exchange", "scatter")
        senders = 1 if collective in ("broadcast", "scatter") else nodes
        shape = (senders, nodes if rows else 1, words)
        x = random_words.integers(0, 1 << width, shape, dtype=numpy.uint32)
        await write("PROGRAM", program["number"])
        await write("ROOT", root)
        await write("HEAD", WRITE << 28 | root << 16 if senders == 1 else SCATTER << 28 | x[0].size)
        for value in x.reshape(-1):
            await write("DATA", int(value))
        await write("HEAD", 0)
        await write("CTRL", 1)
        mask = (1 << width) - 1
        total = combine[program.get("operation", "sum")].reduce(x, axis=0, dtype=numpy.uint32) & mask
        wanted = {
            "gossip": lambda: numpy.stack([x] * nodes),
            "all-reduce": lambda: numpy.stack([total] * nodes),
            "reduce-scatter": lambda: total,
            "exchange": lambda: x.swapaxes(0, 1),
            "broadcast": lambda: numpy.stack([x] * nodes),
            "scatter": lambda: x[0],
            "gather": lambda: x,
        }[collective]().reshape(-1)
        each = wanted.size if collective == "gather" else wanted.size // nodes
        await write("HEAD", READ << 28 | root << 16 | each if collective == "gather" else COLLECT << 28 | each)
        await write("HEAD", 0)
        got = [await read("DATA") for _ in wanted]
        assert got == wanted.tolist(), f"{collective}, root {root}: {got}, expected {wanted.tolist()}"
        assert await read("STATUS") & 0xFF0007 == 2
        return len(got)

    roots = {"any": range(nodes), None: [0]}
    calls = [(one, root) for one in about["programs"] for root in roots.get(one.get("root"), [one.get("root")])]
    chance.shuffle(calls)
    compared = 0
    for program, root in calls:
        compared += await call(program, root)
    for name, value, code in [("ID", 1, 4), ("PROGRAM", len(about["programs"]), 4), ("CTRL", 1, 7)]:
        await write(name, value)
        while (status := await read("STATUS")) & 1:
            pass
        assert status & 0xFF0004 == code << 16 | 4, f"{name}: {status:#x}, expected error {code}"
        await write("CTRL", 2)
        compared += await call(*calls[0])
    dut._log.info("%d words compared in %d calls", compared, len(calls) + 3)


def main():
    """Builds the simulation with Icarus, and plays it."""
    from cocotb_tools.runner import get_results, get_runner

    folder, name = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    runner = get_runner("icarus")
    sources = [folder / line for line in (folder / f"{name}.f").read_text().split()]
    runner.build(sources=sources, hdl_toplevel=f"{name}_axil", build_args=["-g2005"], timescale=("1ns", "1ps"),
                 build_dir=folder / "sim_build", always=True)
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    environment = {"ABOUT": str(folder / f"{name}_programs.json"), "PYTHONPATH": str(here)}
    results = runner.test(hdl_toplevel=f"{name}_axil", test_module="calls", extra_env=environment,
                          build_dir=folder / "sim_build", test_dir=folder)
    tests, failed = get_results(results)
    sys.exit(tests == 0 or failed > 0)


if __name__ == "__main__":
    main()
