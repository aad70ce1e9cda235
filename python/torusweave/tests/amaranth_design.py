"""An Amaranth design with a collective inside: it calls each program in turn, and checks every word. Writes it as Verilog.

usage: amaranth_design.py FOLDER OUT
"""

import sys
from pathlib import Path

from amaranth.back import verilog
from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import Component, Out

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from torusweave.amaranth import Design

# calls of either program
ROUNDS = 20


class Checked(Component):
    """An all-gather and an all-reduce by turns. A node's word is its number plus that of the round."""

    done: Out(1)
    wrong: Out(1)
    words: Out(16)

    def __init__(self, folder: str) -> None:
        self.torus = Design(folder)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.torus = torus = self.torus
        given = [getattr(torus, one.name) for one in torus.streams if not one.is_master]
        taken = [getattr(torus, one.name) for one in torus.streams if one.is_master]
        nodes = len(given)
        call = Signal(range(2 * ROUNDS + 1))
        m.d.comb += [torus.start.eq(call < 2 * ROUNDS), torus.program_number.eq(call[0]), torus.root.eq(0)]
        # a node sends for the calls that it has not sent for yet
        for node, to in enumerate(given):
            sent = Signal(range(2 * ROUNDS + 1))
            place = Signal(range(nodes))
            words = Mux(sent[0], nodes, 1)
            m.d.comb += [
                to.valid.eq(sent < 2 * ROUNDS),
                to.payload.data.eq(Const(node + 1) + sent[1:] + place),
                to.payload.dest.eq(sent[0]),
            ]
            with m.If(to.valid & to.ready):
                m.d.sync += place.eq(Mux(place + 1 == words, 0, place + 1))
                with m.If(place + 1 == words):
                    m.d.sync += sent.eq(sent + 1)
        with m.If(torus.start & torus.ready):
            m.d.sync += call.eq(call + 1)
        finished = Signal(nodes)
        counted = Signal(16)
        fine = Signal(nodes, init=(1 << nodes) - 1)
        arrived = []
        for node, of in enumerate(taken):
            seen = Signal(range(2 * ROUNDS + 1))
            place = Signal(range(nodes))
            gathered = place + 1 + seen[1:]
            # the sum of all nodes' words for this place
            summed = nodes * (nodes + 1) // 2 + nodes * (seen[1:] + place)
            wanted = Mux(seen[0], summed, gathered)
            m.d.comb += [of.ready.eq(seen < 2 * ROUNDS), finished[node].eq(seen == 2 * ROUNDS)]
            arrived.append(of.valid & of.ready)
            with m.If(of.valid & of.ready):
                is_last = place + 1 == nodes
                is_wrong = (of.payload.data != wanted) | (of.payload.dest != seen[0]) | (of.payload.last != is_last)
                with m.If(is_wrong):
                    m.d.sync += fine[node].eq(0)
                m.d.sync += place.eq(Mux(is_last, 0, place + 1))
                with m.If(is_last):
                    m.d.sync += seen.eq(seen + 1)
        m.d.sync += counted.eq(counted + sum(arrived))
        m.d.comb += [self.done.eq(finished.all()), self.wrong.eq(~fine.all()), self.words.eq(counted)]
        return m


def main(folder: str, out: str) -> None:
    design = Checked(folder)
    Path(out).write_text(verilog.convert(design, name="checked", emit_src=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
