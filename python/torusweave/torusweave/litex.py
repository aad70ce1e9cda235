"""A design behind AXI4-Lite as a peripheral of a LiteX SoC.

It is made from the folder's component.xml. LiteX is no part of this package: `pip install litex`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Union

from litex.gen import LiteXModule
from litex.soc.interconnect import axi
from migen import ClockSignal, Constant, Instance, ResetSignal

from ._component import Description
from ._errors import TorusError


class Peripheral(LiteXModule):  # type: ignore[misc]
    """A design with its registers at `bus`, in the clock domain `sys`; its files are added to the platform.

    soc.torus = Peripheral(soc.platform, "generated/calls_4x4")
    soc.bus.add_slave("torus", soc.torus.bus, SoCRegion(origin=0x8000_0000, size=0x1000, cached=False))
    """

    def __init__(self, platform: Any, folder: Union[str, Path]) -> None:
        description = Description(folder)
        registers = next((bus for bus in description.buses if bus.kind == "aximm"), None)
        if registers is None:
            raise TorusError(f"{folder}: the design has streams and no registers: say `host: {{ bus: axi-lite }}`")
        bits = {port.name: port.bits for port in description.ports}
        alone = set(bits) - {name for bus in description.buses for name in bus.ports.values()}
        if alone:
            raise TorusError(f"{folder}: the design is on several boards, whose ports {', '.join(sorted(alone))} have no place in a SoC")
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        wires: Dict[str, Any] = {"i_aclk": ClockSignal("sys"), "i_aresetn": ~ResetSignal("sys")}
        inputs = {port.name for port in description.ports if port.is_input}
        for signal, name in registers.ports.items():
            channel = signal[: 2 if signal.startswith("a") else 1]
            field = signal[len(channel) :]
            # LiteX has no protection, and addresses of the whole SoC
            value = Constant(0, bits[name]) if field == "prot" else getattr(getattr(self.bus, channel), field)
            wires[("i_" if name in inputs else "o_") + name] = value[: bits[name]] if field == "addr" else value
        self.specials += Instance(description.module, **wires)
        for file in description.files:
            platform.add_source(str(file.resolve()))
