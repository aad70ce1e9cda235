"""A LiteX SoC with a collective inside: a master on its bus calls an all-gather and an all-reduce, and checks every word.

usage: litex_soc.py FOLDER NODES OUT
"""

import sys
from pathlib import Path

from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi
from migen import FSM, Array, ClockDomain, If, NextState, NextValue, Signal

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from torusweave.litex import Peripheral

ORIGIN = 0x8000_0000
CTRL, STATUS, PROGRAM, HEAD, DATA = 0x10, 0x14, 0x18, 0x40, 0x44
SCATTER, COLLECT = 1 << 28, 3 << 28
PINS = [(name, 0, Pins(bits)) for name, bits in (("clk", 1), ("rst", 1), ("done", 1), ("wrong", 1), ("words", 16))]


def call(program, nodes, sends, gets):
    """Accesses of a call: writes, and reads with what they must bring."""
    words = [word for row in sends for word in row]
    each = len(sends[0])
    writes = [(PROGRAM, program), (PROGRAM + 4, 0), (HEAD, SCATTER | each), *((DATA, word) for word in words), (HEAD, 0), (CTRL, 1)]
    writes += [(HEAD, COLLECT | nodes), (HEAD, 0)]
    reads = [(DATA, word) for _ in range(nodes) for word in gets] + [(STATUS, 2)]
    return [(1, at, word) for at, word in writes] + [(0, at, word) for at, word in reads]


class Caller(LiteXModule):
    """Does one access after the other, and compares what is read."""

    def __init__(self, accesses):
        self.bus = bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.done, self.wrong, self.seen = Signal(), Signal(), Signal(16)
        at = Signal(max=len(accesses) + 1)
        writes, places, words = (Array([one[part] for one in accesses] + [0]) for part in range(3))
        self.comb += [
            bus.aw.addr.eq(ORIGIN + places[at]),
            bus.ar.addr.eq(ORIGIN + places[at]),
            bus.w.data.eq(words[at]),
            bus.w.strb.eq(0xF),
        ]
        self.fsm = fsm = FSM(reset_state="BEGIN")
        fsm.act("BEGIN", If(at == len(accesses), NextState("END")).Elif(writes[at], NextState("WRITE")).Else(NextState("ASK")))
        # a peripheral may wait for both an address and a word
        named, told = Signal(), Signal()
        fsm.act(
            "WRITE",
            bus.aw.valid.eq(~named),
            bus.w.valid.eq(~told),
            NextValue(named, named | bus.aw.ready),
            NextValue(told, told | bus.w.ready),
            If((named | bus.aw.ready) & (told | bus.w.ready), NextValue(named, 0), NextValue(told, 0), NextState("ANSWER")),
        )
        ended = [NextValue(at, at + 1), NextState("BEGIN")]
        fsm.act("ANSWER", bus.b.ready.eq(1), If(bus.b.valid, *ended, If(bus.b.resp != 0, NextValue(self.wrong, 1))))
        fsm.act("ASK", bus.ar.valid.eq(1), If(bus.ar.ready, NextState("READ")))
        differs = (bus.r.data[:16] != words[at][:16]) | (bus.r.resp != 0)
        fsm.act("READ", bus.r.ready.eq(1), If(bus.r.valid, *ended, NextValue(self.seen, self.seen + 1), If(differs, NextValue(self.wrong, 1))))
        fsm.act("END", self.done.eq(1))


class Soc(SoCCore):
    """A SoC without a processor: a master, and the design."""

    def __init__(self, platform, folder, nodes):
        super().__init__(platform, int(100e6), cpu_type=None, with_uart=False, with_timer=False, integrated_rom_size=0,
                         integrated_sram_size=0, bus_standard="axi-lite", ident="", ident_version=False)
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("clk")), self.cd_sys.rst.eq(platform.request("rst"))]
        self.torus = Peripheral(platform, folder)
        self.bus.add_slave("torus", self.torus.bus, SoCRegion(origin=ORIGIN, size=0x1000, cached=False))
        own = [7 * node + 1 for node in range(nodes)]
        rows = [[100 * node + place for place in range(nodes)] for node in range(nodes)]
        sums = [sum(row[place] for row in rows) for place in range(nodes)]
        accesses = call(0, nodes, [[word] for word in own], own) + call(1, nodes, rows, sums)
        self.caller = Caller(2 * accesses)
        self.bus.add_master("caller", self.caller.bus)
        for name, signal in (("done", self.caller.done), ("wrong", self.caller.wrong), ("words", self.caller.seen)):
            self.comb += platform.request(name).eq(signal)


def main(folder, nodes, out):
    platform = SimPlatform("SIM", PINS)
    platform.get_verilog(Soc(platform, folder, int(nodes)), name="checked").write(out)
    print(*(Path(path).name for path, *_ in platform.sources))


if __name__ == "__main__":
    main(*sys.argv[1:])
