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
        alone = {port.name for port in description.ports} - set(registers.ports.values()) - {"aclk", "aresetn"}
        if alone:
            raise TorusError(f"{folder}: the design is on several boards, whose ports {', '.join(sorted(alone))} have no place in a SoC")
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        wires: Dict[str, Any] = {"i_aclk": ClockSignal("sys"), "i_aresetn": ~ResetSignal("sys")}
        inputs = {port.name for port in description.ports if port.is_input}
        for channel in ("aw", "w", "b", "ar", "r"):
            inner = getattr(self.bus, channel)
            for signal, name in registers.ports.items():
                if signal.startswith(channel) and signal[len(channel) :] in SIGNALS[channel]:
                    value = getattr(inner, SIGNALS[channel][signal[len(channel) :]])
                    wires[("i_" if name in inputs else "o_") + name] = value[:12] if signal.endswith("addr") else value
        # the peripheral asks nothing of who calls it
        wires.update({"i_s_axi_awprot": Constant(0, 3), "i_s_axi_arprot": Constant(0, 3)})
        self.specials += Instance(description.module, **wires)
        for file in description.files:
            platform.add_source(str(file.resolve()))


# by channel: ends of the names in the standard, and names in LiteX
HANDSHAKE = {"valid": "valid", "ready": "ready"}
SIGNALS = {
    "aw": {"addr": "addr", **HANDSHAKE},
    "w": {"data": "data", "strb": "strb", **HANDSHAKE},
    "b": {"resp": "resp", **HANDSHAKE},
    "ar": {"addr": "addr", **HANDSHAKE},
    "r": {"data": "data", "resp": "resp", **HANDSHAKE},
}
